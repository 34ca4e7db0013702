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
      find: `(key === undefined || inFlight < limits.inFlight) && `,
      replace: ``
    },
    {
      name: "no-overload",
      promise: 17,
      find: `    if (isFull()) return answer(inbound, overloaded)\n`,
      replace: ``
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
      find: `    if (Exit.isFailure(exit)) log(\`the handler of \${inbound.message.method} failed\`, exit.cause)`,
      replace: `    inbound.sink.settle(Reply.fromExit("null", exit, log))`
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
      find: `    if (phase === "over") stop(inbound, shutDownError)\n`,
      replace: ``
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
      find: ` && live.size < mostLive`,
      replace: ``
    }
  ]
} satisfies Mutants
