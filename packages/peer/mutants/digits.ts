import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal",
  test: "packages/peer/test/Digits.test.ts",
  mutants: [
    {
      name: "digits-know-no-budget",
      promise: 17,
      title: "that would exceed the budget are refused",
      find: `if ((++kept) * keptWeight > conversation.limits.budget)`,
      replace: `if (++kept < 0)`
    },
    {
      name: "digits-of-one-are-digits-of-all",
      promise: 2,
      title: "of the data of an error are those of the wire",
      find: `return isAsked(message.id)`,
      replace: `return true`
    },
    {
      name: "listeners-hear-no-digits",
      promise: 2,
      title: "of a notification are those of the wire",
      find: ` || listeners.isExact(method)`,
      replace: ``
    },
    {
      name: "tokens-of-progress-are-doubles",
      promise: 2,
      test: "packages/mcp-gateway/test/texts/digits.test.ts",
      title: "are those of the token that progress comes with",
      find: `|| Number.isSafeInteger(token)`,
      replace: `|| Number.isFinite(token)`
    },
    {
      name: "a-result-in-a-batch-has-no-text",
      promise: 2,
      title: "is kept where the response comes with others in one text",
      find: `sourced(member, texts[at] ?? "")`,
      replace: `sourced(member, "{}")`
    },
    {
      name: "a-scanned-text-nests-as-deep-as-it-likes",
      promise: 2,
      title: "nests no deeper than any other",
      find: `scan !== undefined && scan.depth <= this.depth`,
      replace: `scan !== undefined`
    }
  ]
} satisfies Mutants
