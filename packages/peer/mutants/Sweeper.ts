import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Sweeper.ts",
  test: "packages/peer/test/Ends.test.ts",
  mutants: [
    {
      name: "early",
      promise: 21,
      find: `const due = roundUp(now() + wait)`,
      replace: `const due = roundUp(now() + wait) - 2 * grain`
    },
    {
      name: "late",
      promise: 21,
      find: `const due = roundUp(now() + wait)`,
      replace: `const due = roundUp(now() + wait) + 2 * grain`
    },
    {
      name: "shorter-timeouts-wait-for-longer-ones",
      promise: 21,
      find: `if (fiber === undefined || due < wakes) restart()`,
      replace: `if (fiber === undefined) restart()`
    },
    {
      name: "timer-outlives-the-last-call",
      promise: 21,
      find: `if (isEmpty()) stop()`,
      replace: ``,
      title: "promise 21: no timer without need: callers in a loop"
    },
    {
      name: "each-call-starts-a-timer",
      promise: 21,
      find: `if (isEmpty()) stopSoon()`,
      replace: `if (isEmpty()) stop()`,
      title: "promise 21: no timer without need: callers in a loop"
    }
  ]
} satisfies Mutants
