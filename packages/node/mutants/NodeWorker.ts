import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/node/src/NodeWorker.ts",
  test: "packages/node/test/NodeWorker.test.ts",
  mutants: [
    {
      name: "worker-that-throws-is-not-noticed",
      promise: 9,
      title: "a script that is not found is Lost",
      find: `tell({ type: "error", error }))`,
      replace: `tell({ type: "close", error }))`
    }
  ]
} satisfies Mutants
