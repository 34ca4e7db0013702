import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/nats/src/internal/Replies.ts",
  test: "packages/nats/test/Replies.test.ts",
  mutants: [
    {
      name: "replies-go-anywhere",
      promise: 23,
      find: `patterns.some((pattern) => matches(pattern, subject))`,
      replace: `patterns.length > 0`,
      title: "elsewhere are refused with their calls"
    },
    {
      name: "an-inbox-is-whatever-begins-so",
      promise: 23,
      find: `tokens.length >= wanted.length && wanted.slice(0, -1)`,
      replace: `wanted.slice(0, -1)`,
      title: "go where the option allows"
    }
  ]
} satisfies Mutants
