import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/Batch.ts",
  test: "packages/protocol/test/codec.test.ts",
  mutants: [
    {
      name: "batch-members-share-the-first-id",
      promise: 3,
      find: `source(id, index)`,
      replace: `source(id, 0)`
    },
    {
      name: "batch-may-be-empty",
      promise: 5,
      find: `if (size === 0) return`,
      replace: `if (size < 0) return`
    }
  ]
} satisfies Mutants
