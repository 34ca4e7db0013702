import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/client/batch.ts",
  test: "packages/contract/test/Batch.test.ts",
  mutants: [
    {
      name: "outcomes-shift",
      promise: 2,
      title: "is one message, without what does not fit",
      find: `outcomes[at++]`,
      replace: `outcomes[at]`
    },
    {
      name: "the-shortest-deadline-is-that-of-all",
      promise: 8,
      title: "waits as long as the longest deadline",
      find: `Duration.max(most, duration)`,
      replace: `Duration.min(most, duration)`
    }
  ]
} satisfies Mutants
