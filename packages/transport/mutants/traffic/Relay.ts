import type { Mutants } from "../../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/transport/src/traffic/Relay.ts",
  test: "packages/transport/test/traffic/Relay.test.ts",
  mutants: [
    {
      name: "relay-weighs-only-the-text",
      promise: 18,
      find: `budget.take(taken)`,
      replace: `budget.take(taken / 2)`
    },
    {
      name: "relay-settles-before-it-sends",
      promise: 19,
      find: `for (const { asked } of ids) from.owed.add(asked)`,
      replace: `for (const { asked, answered } of ids) {
        from.owed.add(asked)
        to.owed.settle(answered)
      }`
    },
    {
      name: "relay-tells-what-ended-last",
      promise: 19,
      title: "what ended first is told",
      find: `first ??= end`,
      replace: `first = end`
    },
    {
      name: "relay-tells-the-budget-of-the-side-that-moved-last",
      promise: 18,
      find: `budget.unread(states.includes("stalled") ? "stalled" : states.includes("waiting") ? "waiting" : "none")`,
      replace: `budget.unread(state)`
    },
    {
      name: "relay-reads-while-the-budget-is-spent",
      promise: 22,
      find: `if (!budget.isSpent()) return Effect.void`,
      replace: `return Effect.void`
    }
  ]
} satisfies Mutants
