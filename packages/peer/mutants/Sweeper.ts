import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Sweeper.ts",
  test: "packages/peer/test/Ends.test.ts",
  mutants: [
    {
      name: "early",
      promise: 21,
      find: `Math.ceil((now() + milliseconds) / grain)`,
      replace: `Math.floor((now() + milliseconds) / grain)`
    },
    {
      name: "late",
      promise: 21,
      find: `Math.ceil((now() + milliseconds) / grain)`,
      replace: `Math.ceil((now() + milliseconds + 20) / grain)`
    },
    {
      name: "shorter-timeouts-wait-for-longer-ones",
      promise: 21,
      find: `if (fiber === undefined || due < wakes) restart()`,
      replace: `if (fiber === undefined) restart()`
    }
  ]
} satisfies Mutants
