import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/contract/src/internal/subscribe.ts",
  test: "packages/contract/test/Subscribing.test.ts",
  mutants: [
    {
      name: "early-items-are-dropped",
      promise: 11,
      find: `if (early.length < mostEarly) early.push(event)\n        else lost++`,
      replace: `lost++`
    },
    {
      name: "early-items-without-bound",
      promise: 17,
      title: "keeps a bounded number of items that come before the response",
      find: `if (early.length < mostEarly) early.push(event)`,
      replace: `if (mostEarly > 0) early.push(event)`
    },
    {
      name: "the-end-of-the-early-is-hidden",
      promise: 11,
      title: "keeps a bounded number of items that come before the response",
      find: `      if (state === "open" && lost > 0) items.lose(lost)\n`,
      replace: ``
    },
    {
      name: "what-is-left-stays-open",
      promise: 8,
      find: `return left === "open" && id !== undefined ? close(id) : Effect.void`,
      replace: `return left === "open" && id !== undefined ? Effect.void : Effect.void`
    },
    {
      name: "what-opens-late-stays-open",
      promise: 8,
      find: `      if (state === "over") return close(result)\n`,
      replace: ``
    },
    {
      name: "items-of-others-are-taken",
      promise: 11,
      find: `memberOf(event, carrier.id) !== id`,
      replace: `id === undefined`
    },
    {
      name: "the-response-brings-nothing",
      promise: 11,
      find: `      items.push(itemsOf(rest))\n`,
      replace: ``
    },
    {
      name: "who-leaves-is-not-missed",
      promise: 8,
      find: `Effect.forkScoped(ended, { startImmediately: true })`,
      replace: `Effect.forkDetach(ended, { startImmediately: true })`
    },
    {
      name: "a-lost-connection-is-not-heard-of",
      promise: 9,
      find: `end: (error) => end(Exit.fail(error))`,
      replace: `end: () => {}`
    },
    {
      name: "who-leaves-keeps-the-pause",
      promise: 12,
      test: "packages/contract/test/SlowConsumers.test.ts",
      title: "suspends what else comes, until it takes or leaves",
      find: `({ close }) => Effect.sync(close)`,
      replace: `() => Effect.void`
    }
  ]
} satisfies Mutants
