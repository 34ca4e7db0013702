import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Interceptor.ts",
  test: "packages/peer/test/Streaming.test.ts",
  mutants: [
    {
      name: "progress-queues-behind-handlers",
      promise: 11,
      test: "packages/peer/test/Calls.test.ts",
      find: `(method === progress?.method && isProgress(progress, params)) ||\n      `,
      replace: ``
    },
    {
      name: "partial-results-queue-behind-handlers",
      promise: 11,
      find: `(method === partialResults?.method && isPartialResult(partialResults, params)) ||`,
      replace: ``
    },
    {
      name: "what-is-listened-to-queues-behind-handlers",
      promise: 11,
      find: `(methods.size > 0 && isListenedTo(method, params))`,
      replace: `false`
    },
    {
      name: "listeners-take-what-is-not-theirs",
      promise: 11,
      find: `() => entry.listener.take(params))`,
      replace: `() => (entry.listener.take(params), true))`
    },
    {
      name: "listeners-hear-what-came-before-them",
      promise: 11,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "that come while others are asked hear what comes next",
      find: `for (const entry of [...listeners])`,
      replace: `for (const entry of listeners)`
    },
    {
      name: "listeners-hear-of-no-end",
      promise: 9,
      find: `(entry.listener.end(error), true)`,
      replace: `true`
    },
    {
      name: "who-listens-after-the-end-hears-nothing",
      promise: 9,
      find: `if (ended !== undefined) return Effect.fail(`,
      replace: `if (ended?._tag === "NoPeer") return Effect.fail(`
    }
  ]
} satisfies Mutants
