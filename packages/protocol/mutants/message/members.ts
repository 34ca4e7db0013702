import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/protocol/src/internal/members.ts",
  test: "packages/protocol/test/shared/Splice.test.ts",
  mutants: [
    {
      name: "the-first-id-counts",
      promise: 3,
      find: `id = value`,
      replace: `id ??= value`
    }
  ]
} satisfies Mutants
