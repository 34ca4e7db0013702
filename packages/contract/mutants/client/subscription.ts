import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/client/subscription.ts",
  test: "packages/contract/test/subscription/Subscribing.test.ts",
  mutants: [
    {
      name: "early-items-are-dropped",
      promise: 11,
      find: `if (early.length < mostEarly) early.push(event)\n        else lost++`,
      replace: `lost++`
    },
    {
      name: "items-of-others-are-taken",
      promise: 11,
      find: `idIn(event, carrier) !== id`,
      replace: `id === undefined`
    },
    {
      name: "who-leaves-is-not-missed",
      promise: 8,
      find: `Effect.forkScoped(ended, { startImmediately: true })`,
      replace: `Effect.forkDetach(ended, { startImmediately: true })`
    }
  ]
} satisfies Mutants
