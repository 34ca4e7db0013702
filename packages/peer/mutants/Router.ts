import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/Router.ts",
  test: "packages/peer/test/regression/router.test.ts",
  mutants: [
    {
      name: "an-interrupted-answer-leaves-its-handlers-alone",
      promise: 8,
      title: "waits for its handlers when it is interrupted",
      find: `if (dispatcher.isIdle()) return done(Effect.void)`,
      replace: `return done(Effect.void)`
    }
  ]
} satisfies Mutants
