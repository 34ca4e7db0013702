import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/cli/src/internal/tap/configuration/Mark.ts",
  test: "packages/cli/test/tap/unwrap.test.ts",
  mutants: [
    {
      name: "unwrap-takes-any-word-for-one-of-wrap",
      promise: 2,
      find: `if (other >= 0) return`,
      replace: `if (other > 99) return`,
      title: "is left alone where a word of it is missing or another"
    },
    {
      name: "unwrap-drops-arguments-that-were-added",
      promise: 2,
      find: `texts.length > server + 1`,
      replace: `texts.length > server + 99`,
      title: "is left alone where somebody has changed its server"
    }
  ]
} satisfies Mutants
