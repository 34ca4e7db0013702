import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conformance/src/internal/simulation/History.ts",
  test: "packages/conformance/test/Simulation.test.ts",
  mutants: [
    {
      name: "simulation-serves-twice",
      promise: 7,
      find: "if (asked?.isServed === true && !this.#mayRunTwice(asked))",
      replace: "if (asked === undefined)",
      title: "that doubles requests is found"
    },
    {
      name: "simulation-believes-that-a-call-has-not-started",
      promise: 9,
      find: "if (asked.isServed && failure ===",
      replace: "if (asked.n < 0 && failure ===",
      title: "that refuses calls which ran is found"
    },
    {
      name: "simulation-believes-that-a-call-ran",
      promise: 9,
      test: "packages/conformance/test/simulation/Restarts.test.ts",
      find: "if (!asked.isServed && failure === ended",
      replace: "if (asked.n < 0 && failure === ended",
      title: "that says of a refused call that it ran is found"
    },
    {
      name: "simulation-misses-no-item",
      promise: 11,
      test: "packages/conformance/test/simulation/Restarts.test.ts",
      find: "if (run !== runs || index !== items)",
      replace: "if (run !== runs)",
      title: "that loses an item is found"
    },
    {
      name: "simulation-has-no-order",
      promise: 13,
      find: "if (last > n &&",
      replace: "if (last < 0 &&",
      title: "that swaps notifications is found"
    }
  ]
} satisfies Mutants
