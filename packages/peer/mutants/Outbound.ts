import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Outbound.ts",
  test: "packages/peer/test/Calls.test.ts",
  mutants: [
    {
      name: "pauses-hold-back-what-takes-no-partial-results",
      promise: 12,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "holds back no response of a call that would take partial results",
      find:
        `onPartialResult !== undefined && Progress.asksPartialResults(dialect, params) ? onPartialResult : undefined`,
      replace: `onPartialResult`
    },
    {
      name: "nobody-is-told-of-a-cancellation",
      promise: 8,
      find: `    if (text !== undefined) outbox.reply(text)\n`,
      replace: ``
    },
    {
      name: "calls-after-the-end-wait",
      promise: 9,
      find: `      if (reason !== undefined) return resume(disconnected(reason))
      if (correlator.size() >= limits.waiting)`,
      replace: `      if (correlator.size() >= limits.waiting)`
    },
    {
      name: "interrupted-calls-stay",
      promise: 8,
      find: `return Effect.sync(() => withdraw(waiting))`,
      replace: `return Effect.void`
    },
    {
      name: "calls-without-time-are-written",
      promise: 8,
      test: "packages/peer/test/regression/parked.test.ts",
      find: `    if (!correlator.isWaiting(call)) return\n`,
      replace: ``
    }
  ]
} satisfies Mutants
