import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/depth.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
    {
      name: "depth-counts-brackets-in-strings",
      promise: 5,
      find: `at = endOfString(text, at)
      if`,
      replace: `if`
    },
    {
      name: "depth-misreads-escaped-quotes",
      promise: 5,
      find: `if ((at - slashes) % 2 === 0) return at`,
      replace: `return at`
    }
  ]
} satisfies Mutants
