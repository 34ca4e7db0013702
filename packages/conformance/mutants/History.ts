import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/conformance/src/internal/simulation/History.ts",
  test: "packages/conformance/test/Simulation.test.ts",
  mutants: [
    {
      name: "simulation-serves-twice",
      promise: 7,
      find: "if (asked?.isServed === true)",
      replace: "if (asked === undefined)",
      title: "that doubles requests is found"
    },
    {
      name: "simulation-believes-that-a-call-has-not-started",
      promise: 9,
      find: "if (asked.isServed && failureOf",
      replace: "if (asked.n < 0 && failureOf",
      title: "that refuses calls which ran is found"
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
