import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/nats/src/internal/Question.ts",
  test: "packages/nats/test/Question.test.ts",
  mutants: [
    {
      name: "a-late-id-is-no-request",
      promise: 2,
      find: `&& !text.includes("\\"id\\"") &&`,
      replace: `&&`,
      title: "is so for an id behind the method"
    },
    {
      name: "a-batch-asks-by-its-first-member",
      promise: 2,
      find: `members.some(isRequest)`,
      replace: `members.slice(0, 1).some(isRequest)`,
      title: "is so for an id behind the method"
    }
  ]
} satisfies Mutants
