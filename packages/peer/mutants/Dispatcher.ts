import type { Mutants } from "../../../tools/mutants/Mutant.ts"

export default {
  file: "packages/peer/src/internal/Dispatcher.ts",
  test: "packages/peer/test/Serving.test.ts",
  mutants: [
    {
      name: "places-are-kept-while-waiting",
      promise: 12,
      find: `    release: (inbound) => {
      if (!inbound.holds) return
      release(inbound)
      drain()
    },`,
      replace: `    release: () => {},`
    },
    {
      name: "notifications-hold-nothing-back",
      promise: 13,
      find: `    if (inbound.key === undefined) notifying++\n    else`,
      replace: `    if (inbound.key !== undefined)`
    },
    {
      name: "notifications-hold-back-for-ever",
      promise: 13,
      find: `    if (inbound.key === undefined) sweeper.set(inbound, limits.notification)\n`,
      replace: ``
    },
    {
      name: "throwing-handlers-break-the-loop",
      promise: 15,
      find: `      return Exit.die(defect)\n`,
      replace: `      throw defect\n`
    },
    {
      name: "the-newer-of-two-equal-ids-is-cancelled",
      promise: 16,
      find: `    for (const inbound of live) if (`,
      replace: `    for (const inbound of [...live].reverse()) if (`
    },
    {
      name: "what-waits-cannot-be-cancelled",
      promise: 16,
      find: `running ?? inbox.find((waiting) => waiting.key === key)`,
      replace: `running`
    },
    {
      name: "no-limit-in-flight",
      promise: 17,
      find: `(key === undefined || inFlight < limits.inFlight) && !isSaturated()`,
      replace: `!isSaturated()`
    },
    {
      name: "no-overload",
      promise: 17,
      find: `    if (isFull() && !mayOvertake(inbound)) return answer(inbound, overloaded())\n`,
      replace: ``
    },
    {
      name: "a-full-inbox-refuses-what-is-concurrent",
      promise: 13,
      test: "packages/peer/test/Order.test.ts",
      find: `isFull() && !mayOvertake(inbound)`,
      replace: `isFull()`
    },
    {
      name: "nothing-is-concurrent",
      promise: 13,
      test: "packages/peer/test/Order.test.ts",
      find: `key !== undefined && options.isConcurrent(message.method)`,
      replace: `false`
    },
    {
      name: "what-is-concurrent-has-no-limit",
      promise: 17,
      test: "packages/peer/test/Order.test.ts",
      find: `isConcurrent(inbound) && hasPlace(inbound)`,
      replace: `isConcurrent(inbound)`
    },
    {
      name: "what-is-concurrent-has-no-budget",
      promise: 17,
      test: "packages/peer/test/Order.test.ts",
      find: `hasPlace(inbound) && budget?.isSpent() !== true`,
      replace: `hasPlace(inbound)`
    },
    {
      name: "what-waited-for-a-place-waits-for-notifications",
      promise: 17,
      test: "packages/peer/test/Order.test.ts",
      find: `    if (overtaking && notifying > 0) overtake()\n`,
      replace: ``
    },
    {
      name: "what-runs-after-a-reply-runs-before",
      promise: 11,
      test: "packages/peer/test/Order.test.ts",
      find: `      if (reply !== undefined) options.reply(reply)
      if (after !== undefined) afterReply.run(after)
`,
      replace: `      if (after !== undefined) afterReply.run(after)
      if (reply !== undefined) options.reply(reply)
`
    },
    {
      name: "no-overrun",
      promise: 17,
      find: `inbox.count() > limits.inbox + limits.reserve ||`,
      replace: ``
    },
    {
      name: "failed-notifications-are-answered",
      promise: 20,
      find: `    if (Exit.isSuccess(exit)) return sink.settle(undefined, after)\n`,
      replace: `    if (Exit.isFailure(exit)) return Reply.settle(sink, "null", exit, after, afterReply.drop, log)\n`
    },
    {
      name: "what-a-cancelled-call-holds-is-kept",
      promise: 8,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "where its call is cancelled",
      find: `      afterReply.drop(after)
      return sink.settle(stopped.reply)`,
      replace: `      return sink.settle(stopped.reply)`
    },
    {
      name: "shutting-down-forgets-what-waits",
      promise: 19,
      test: "packages/peer/test/Ends.test.ts",
      find: `waiting.key !== undefined)) answer(inbound, shutDownError)`,
      replace: `waiting.key !== undefined)) void inbound`
    },
    {
      name: "the-deadline-forgets-what-waits",
      promise: 19,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `removeAll(() => true)) answer(inbound, shutDownError)`,
      replace: `removeAll(() => true)) void inbound`
    },
    {
      name: "what-starts-is-idle",
      promise: 19,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `isIdle: () => starting === 0 && `,
      replace: `isIdle: () => `
    },
    {
      name: "who-ended-the-connection-runs-on",
      promise: 19,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `    if (phase === "over" || `,
      replace: `    if (`
    },
    {
      name: "what-is-over-starts",
      promise: 19,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `    if (phase === "over") return answer(inbound, shutDownError)\n`,
      replace: ``
    },
    {
      name: "shutting-down-answers-what-was-cancelled",
      promise: 20,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `    if (inbound.stopped !== undefined) return\n`,
      replace: ``
    },
    {
      name: "no-limit-on-those-that-called-back",
      promise: 17,
      test: "packages/peer/test/regression/inbox.test.ts",
      find: `isSaturated = () => live.size + afterReply.size() >= mostLive || `,
      replace: `isSaturated = () => `
    }
  ]
} satisfies Mutants
