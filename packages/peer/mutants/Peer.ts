import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/Peer.ts",
  test: "packages/peer/test/Ends.test.ts",
  mutants: [
    {
      name: "a-response-without-a-result-ends-nothing",
      promise: 10,
      test: "packages/peer/test/Calls.test.ts",
      find: `onEmpty: ({ id, rule }) => correlator.refuse(new Message.InvalidResponse({ id, rule }))`,
      replace: `onEmpty: ({ id }) => id === ""`
    },
    {
      name: "end-of-input-interrupts",
      promise: 19,
      find: `    if (reason._tag !== "EndOfInput") dispatcher.interruptAll()\n`,
      replace: `    dispatcher.interruptAll()\n`
    },
    {
      name: "every-end-drains",
      promise: 19,
      find: `    if (reason._tag !== "EndOfInput") dispatcher.interruptAll()\n`,
      replace: ``
    },
    {
      name: "written-replies-start-nothing",
      promise: 18,
      test: "packages/peer/test/regression/congestion.test.ts",
      find: `    onProgress: () => dispatcher.drain(),`,
      replace: `    onProgress: () => proceed(),`
    },
    {
      name: "draining-never-ends",
      promise: 19,
      find: `    sweeper.set(drained, limits.drain)\n`,
      replace: ``
    },
    {
      name: "waiting-calls-outlive-the-connection",
      promise: 9,
      test: "packages/peer/test/Calls.test.ts",
      find: `    correlator.close(reason, ({ place }) => place !== Number.POSITIVE_INFINITY)\n`,
      replace: ``
    },
    {
      name: "bad-frames-for-ever",
      promise: 14,
      test: "packages/peer/test/Serving.test.ts",
      find: `    badFrames = isBad(batch) ? badFrames + 1 : 0\n`,
      replace: ``
    },
    {
      name: "bad-frames-never-forgiven",
      promise: 14,
      test: "packages/peer/test/Serving.test.ts",
      find: `    badFrames = isBad(batch) ? badFrames + 1 : 0\n`,
      replace: `    if (isBad(batch)) badFrames++\n`
    },
    {
      name: "a-full-inbox-is-read-into",
      promise: 17,
      test: "packages/peer/test/Serving.test.ts",
      find: `    (dispatcher.isFull() && correlator.size() === 0 && Crowd.waits(batch, dialect))`,
      replace: `    false`
    },
    {
      name: "a-full-inbox-stops-responses",
      promise: 17,
      test: "packages/peer/test/Serving.test.ts",
      find: `dispatcher.isFull() && correlator.size() === 0 && `,
      replace: `dispatcher.isFull() && `
    },
    {
      name: "pauses-stop-nothing",
      promise: 12,
      test: "packages/peer/test/Streaming.test.ts",
      find: `isPaused() || outbox.replies()`,
      replace: `outbox.replies()`
    },
    {
      name: "pauses-hold-back-responses",
      promise: 12,
      test: "packages/peer/test/Streaming.test.ts",
      find: ` && correlator.size() === correlator.streaming()`,
      replace: ``
    },
    {
      name: "nobody-hears-that-a-pause-is-over",
      promise: 12,
      test: "packages/peer/test/Streaming.test.ts",
      find: `Pauses.counting(() => reader?.wake())`,
      replace: `Pauses.counting(() => {})`
    },
    {
      name: "the-end-overtakes-what-a-pause-holds",
      promise: 9,
      test: "packages/peer/test/regression/streams.test.ts",
      find: `    if (reason._tag === "EndOfInput" && reader?.isHolding() === true) return\n`,
      replace: ``
    },
    {
      name: "pauses-outlive-the-deadline",
      promise: 19,
      test: "packages/peer/test/regression/streams.test.ts",
      find: `    overtime = true\n`,
      replace: ``
    },
    {
      name: "shutting-down-waits-for-a-pause",
      promise: 19,
      test: "packages/peer/test/regression/streams.test.ts",
      find: ` || (isPaused() && gone === undefined))`,
      replace: `)`
    },
    {
      name: "pauses-outlive-a-lost-connection",
      promise: 9,
      test: "packages/peer/test/regression/streams.test.ts",
      find: `!overtime && !isOver() && `,
      replace: `!overtime && `
    },
    {
      name: "cancels-wait-behind-a-full-inbox",
      promise: 12,
      test: "packages/peer/test/regression/inbox.test.ts",
      find: `Crowd.waits(batch, dialect))`,
      replace: `Crowd.waits(batch, { ...dialect, cancellation: undefined }))`
    },
    {
      name: "what-draining-writes-is-not-sent",
      promise: 9,
      test: "packages/peer/test/regression/parked.test.ts",
      find: `({ place }) => place !== Number.POSITIVE_INFINITY`,
      replace: `isSent`
    },
    {
      name: "alarms-outlive-the-end",
      promise: 21,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `    sweeper.set(overdue, grace)\n    dispatcher.interruptAll()\n`,
      replace: `    dispatcher.interruptAll()\n    sweeper.set(overdue, grace)\n`
    },
    {
      name: "calls-hear-of-the-end-before-who-waits-for-it",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "who calls again in the turn in which the connection was lost",
      find: `    Deferred.doneUnsafe(disconnected, Effect.succeed(reason))\n    endCalls(reason)\n`,
      replace: `    endCalls(reason)\n    Deferred.doneUnsafe(disconnected, Effect.succeed(reason))\n`
    }
  ]
} satisfies Mutants
