import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/Progress.ts",
  test: "packages/contract/test/Progress.test.ts",
  mutants: [
    {
      name: "progress-outlives-its-call",
      promise: 11,
      find: `items.end(Exit.fail(Cause.Done()))`,
      replace: `void items`
    }
  ]
} satisfies Mutants
