import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/mcp/src/internal/client/Requests.ts",
  test: "packages/mcp/test/client/Calls.test.ts",
  mutants: [
    {
      name: "a-call-is-never-made-again",
      promise: 9,
      test: "packages/mcp/test/client/Sessions.test.ts",
      find: `error._tag === "SessionExpired"`,
      replace: `error._tag !== "SessionExpired"`,
      title: "it is made again once however many calls"
    },
    {
      name: "what-is-not-declared-is-sent",
      promise: 14,
      find: `return refusal === undefined ?`,
      replace: `return true ?`,
      title: "what the server does not declare"
    },
    {
      name: "progress-is-not-asked-for",
      promise: 8,
      find: `    return link.request(method, whole, options === undefined ? plain : timesOf(options))`,
      replace:
        `    return link.request(method, whole, options?.onProgress === undefined ? { timeout: config.timeout } : timesOf(options))`,
      title: "progress gives a call its time anew"
    },
    {
      name: "a-stream-ends-with-the-time-of-a-call",
      promise: 21,
      test: "packages/mcp/test/client/Changes.test.ts",
      find: `{ timeout: Duration.infinity, onId }`,
      replace: `{ timeout, onId }`,
      title: "no time ends a stream"
    },
    {
      name: "the-log-level-is-said-for-ever",
      promise: 14,
      test: "packages/mcp/test/client/Changes.test.ts",
      find: `if (known === agreed && level === session.logLevel) return envelope`,
      replace: `if (known === agreed && envelope !== undefined) return envelope`,
      title: "the level is said to a session once"
    }
  ]
} satisfies Mutants
