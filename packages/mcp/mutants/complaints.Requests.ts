import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Requests.ts",
  test: "packages/mcp/test/complaints/timeouts.test.ts",
  mutants: [
    {
      name: "a-lost-session-fails-its-calls",
      promise: 9,
      test: "packages/mcp/test/complaints/reinitialize.test.ts",
      find: `if (error._tag === "SessionExpired") {`,
      replace: `if (error._tag === "SessionExpired" && count > 1) {`,
      title: "it does, however many calls find out"
    },
    {
      name: "progress-is-asked-for-only-where-somebody-listens",
      promise: 11,
      find: `onProgress: onProgress === undefined ? ignore : reading(onProgress)`,
      replace: `onProgress: onProgress === undefined ? undefined : reading(onProgress)`,
      title: "progress keeps a call from its timeout"
    },
    {
      name: "progress-extends-a-call-for-ever",
      promise: 7,
      find: `maxTimeout = config.maxTimeout, onId`,
      replace: `maxTimeout = Duration.infinity, onId`,
      title: "a call without progress times out"
    },
    {
      name: "a-call-without-options-has-no-time-for-progress",
      promise: 11,
      find: `maxTimeout: config.maxTimeout, onProgress: ignore }`,
      replace: `maxTimeout: config.maxTimeout }`,
      title: "progress keeps a call from its timeout"
    },
    {
      name: "a-call-without-options-has-no-cap",
      promise: 7,
      find: `maxTimeout: config.maxTimeout, onProgress: ignore }`,
      replace: `onProgress: ignore }`,
      title: "a call without progress times out"
    }
  ]
} satisfies Mutants
