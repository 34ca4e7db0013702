import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/shared/ErrorReply.ts",
  test: "packages/protocol/test/shared/ErrorReply.test.ts",
  mutants: [
    {
      name: "request-that-is-no-text-is-too-large",
      promise: 14,
      find: `bad.reason === "TooLarge"`,
      replace: `bad.reason !== "TooLarge"`,
      title: "is answered with -32700 and without its id"
    },
    {
      name: "notification-that-is-no-text-is-answered",
      promise: 20,
      find: `kind === "response" || kind === "notification" || firstKind`,
      replace: `kind === "response" || firstKind`,
      title: "is answered with -32700 and without its id"
    },
    {
      name: "notification-with-the-id-null-is-answered",
      promise: 20,
      find: `id === "null" && nullId === "notification"`,
      replace: `id === "null" && nullId === "refuse"`,
      title: "is answered with -32700 and without its id"
    },
    {
      name: "too-large-has-one-code-for-all-dialects",
      promise: 14,
      find: "ErrorObject.make(rules.tooLargeCode,",
      replace: "ErrorObject.make(-32_001,",
      title: "is answered with its id where it is only too large"
    }
  ]
} satisfies Mutants
