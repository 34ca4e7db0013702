import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Arrival.ts",
  test: "packages/peer/test/regression/router.test.ts",
  mutants: [
    {
      name: "an-interrupted-answer-leaves-its-handlers-alone",
      promise: 8,
      title: "waits for its handlers when it is interrupted",
      find: `if (this.#running === 0) return resume(Effect.void)`,
      replace: `return resume(Effect.void)`
    }
  ]
} satisfies Mutants
