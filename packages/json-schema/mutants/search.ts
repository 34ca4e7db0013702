import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/json-schema/src/internal/pattern/search.ts",
  test: "packages/json-schema/test/find.test.ts",
  mutants: [
    {
      name: "a-pattern-begins-at-one-place-only",
      promise: 1,
      find: `if (!program.isAnchored) next.add(0)`,
      replace: `if (program.isAnchored) next.add(0)`,
      title: "finds the shortest text"
    },
    {
      name: "no-text-is-found-and-that-is-a-proof",
      promise: 1,
      find: `return "unknown" in found || found.text !== undefined || isWhole`,
      replace: `return "unknown" in found || found.text !== undefined || !isWhole || isWhole`,
      title: "says why it does not know"
    }
  ]
} satisfies Mutants
