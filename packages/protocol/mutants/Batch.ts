import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/Batch.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
    {
      name: "batch-members-share-the-first-source",
      promise: 3,
      find: `() => sources(index)`,
      replace: `() => sources(0)`
    },
    {
      name: "batch-may-be-empty",
      promise: 5,
      find: `if (size === 0) return`,
      replace: `if (size < 0) return`
    },
    {
      name: "batch-of-any-size",
      promise: 5,
      find: `return size > limit ?`,
      replace: `return size > limit * 2 ?`
    }
  ]
} satisfies Mutants
