import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** Their calls: the order in which they start, the places, the queue, cancels, and what runs behind replies. */
export default {
  file: "packages/peer/src/internal",
  test: "packages/peer/test/Serving.test.ts",
  mutants: [
    {
      name: "handlers-that-have-parked-are-unbounded",
      promise: 17,
      find: `return this.#parked >= this.#limits.parked`,
      replace: `return false`
    },
    {
      name: "a-handler-that-parks-twice-is-counted-out",
      promise: 12,
      test: "packages/peer/test/room/Room.test.ts",
      find: `if (call.place !== "held") return false this.leave(call)`,
      replace: `this.leave(call)`
    },
    {
      name: "a-handler-that-waits-keeps-its-place",
      promise: 12,
      find: `if (this.room.park(call)) this.step()`,
      replace: `this.step()`
    },
    {
      name: "notifications-hold-back-only-each-other",
      promise: 13,
      find: `if (!overtakes && this.#notifying > 0) return`,
      replace: `if (!overtakes && this.#notifying > 0 && call.id === undefined) return`
    },
    {
      name: "notifications-hold-back-for-as-long-as-they-take",
      promise: 13,
      find: `host.timers.set(call.timer = new Timer(() => this.#overstay(call)), limits.notification)`,
      replace: `void call`
    },
    {
      name: "the-newest-call-starts-first",
      promise: 13,
      find: `return this.#calls.first`,
      replace: `return this.#calls.all().at(-1)`
    },
    {
      name: "a-call-that-comes-overtakes-those-that-wait",
      promise: 13,
      test: "packages/peer/test/Order.test.ts",
      find: `const overtakes = id !== undefined && this.isConcurrent(message.method)`,
      replace: `const overtakes = id !== undefined`
    },
    {
      name: "a-handler-that-asks-by-a-lane-holds-back-the-others",
      promise: 13,
      test: "packages/peer/test/Lanes.test.ts",
      find: `outgoing.request(lane, within, method, params, options)`,
      replace: `outgoing.request(lane, undefined, method, params, options)`
    },
    {
      name: "nothing-is-concurrent",
      promise: 13,
      test: "packages/peer/test/Order.test.ts",
      find: `return this.#router?.isConcurrent(method) === true`,
      replace: `return this.#router?.isConcurrent(method) === undefined`
    },
    {
      name: "the-newer-of-two-equal-ids-is-cancelled",
      promise: 16,
      find: `for (const call of this.#byKey.get(key) ?? [])`,
      replace: `for (const call of [...(this.#byKey.get(key) ?? [])].reverse())`
    },
    {
      name: "what-waits-is-cancelled-before-what-runs",
      promise: 16,
      test: "packages/peer/test/regression/inbox.test.ts",
      find: `[...this.#live.all(), ...this.#queue.all()]`,
      replace: `[...this.#queue.all(), ...this.#live.all()]`
    },
    {
      name: "what-waits-cannot-be-cancelled",
      promise: 16,
      find: `(call.isQueued || call.fiber !== undefined)`,
      replace: `call.fiber !== undefined`
    },
    {
      name: "notifications-take-places-and-requests-none",
      promise: 17,
      test: "packages/peer/test/Lanes.test.ts",
      find: `if (isRequest && this.#inFlight >= this.#limits.inFlight) return`,
      replace: `if (!isRequest && this.#inFlight >= this.#limits.inFlight) return`
    },
    {
      name: "what-exceeds-the-budget-waits",
      promise: 17,
      find: `if (id !== undefined && !room.fits(weight)) return this.#refuse(call)`,
      replace: ``
    },
    {
      name: "what-is-concurrent-has-no-limit",
      promise: 17,
      test: "packages/peer/test/Order.test.ts",
      find: `return this.#wantsPlace(id !== undefined, traffic)`,
      replace: `return overtakes ? undefined : this.#wantsPlace(id !== undefined, traffic)`
    },
    {
      name: "what-is-concurrent-has-no-budget",
      promise: 17,
      test: "packages/peer/test/Order.test.ts",
      find: `return this.#wantsPlace(true, traffic) === undefined && !this.#budget.isSpent()`,
      replace: `return this.#wantsPlace(true, traffic) === undefined`
    },
    {
      name: "what-waited-for-a-place-waits-for-notifications",
      promise: 17,
      test: "packages/peer/test/Order.test.ts",
      find: `if (this.#conversation.room.isHeldBack) this.#startFrom("overtaking")`,
      replace: ``
    },
    {
      name: "what-runs-behind-replies-costs-nothing",
      promise: 17,
      test: "packages/peer/test/regression/streams.test.ts",
      find: `const { budget, fork } = this.#conversation.host budget.take(callWeight)`,
      replace: `const { budget, fork } = this.#conversation.host; budget.take(0)`
    },
    {
      name: "notifications-are-taken-without-bound",
      promise: 17,
      find: `if (!host.budget.evict()) this.#conversation.end({ _tag: "Overrun" })`,
      replace: ``
    },
    {
      name: "any-notification-waits-for-room",
      promise: 12,
      test: "packages/peer/test/regression/inbox.test.ts",
      find: `return message._tag === "Notification" && !this.#isIntercepted(message)`,
      replace: `return message._tag === "Notification"`
    },
    {
      name: "what-a-cancelled-call-left-is-kept",
      promise: 8,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "where its call is cancelled",
      find: `this.skip(after) if (stopped !== undefined`,
      replace: `if (stopped === undefined) this.skip(after); if (stopped !== undefined`
    },
    {
      name: "what-finds-the-connection-gone-is-kept",
      promise: 8,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "where its call is cancelled, and where the connection ends before its batch is answered",
      find: `if (this.#conversation.isEnding) this.skip([deferral])`,
      replace: `if (this.#conversation.isEnding) continue`
    },
    {
      name: "an-interrupted-answer-leaves-its-handlers-alone",
      promise: 8,
      test: "packages/peer/test/Lanes.test.ts",
      find:
        `for (const call of this.#live.all().filter(isMeant)) this.#stop(call, shutDownError(this.#conversation.dialect))`,
      replace: ``
    },
    {
      name: "a-call-that-ran-is-refused-as-one-that-has-not-started",
      promise: 9,
      test: "packages/conformance/test/Simulation.test.ts",
      title: "refuses calls that have not started",
      find:
        `for (const call of this.#live.all().filter(isMeant)) this.#stop(call, shutDownError(this.#conversation.dialect))`,
      replace:
        `for (const call of this.#live.all().filter(isMeant)) this.#stop(call, notStartedError(this.#conversation.dialect))`
    },
    {
      name: "shutting-down-forgets-what-waits",
      promise: 19,
      test: "packages/peer/test/Ends.test.ts",
      find:
        `for (const call of this.#queue.remove(({ id }) => id !== undefined)) this.#answer(call, notStartedError(dialect))`,
      replace: `this.#queue.remove(({ id }) => id !== undefined)`
    },
    {
      name: "the-deadline-forgets-what-waits",
      promise: 19,
      test: "packages/peer/test/regression/closing.test.ts",
      find:
        `for (const call of this.#queue.remove(isMeant)) this.#answer(call, notStartedError(this.#conversation.dialect))`,
      replace: `this.#queue.remove(isMeant)`
    },
    {
      name: "a-handler-that-ended-the-connection-runs-on",
      promise: 19,
      test: "packages/peer/test/regression/closing.test.ts",
      find:
        `if (this.#conversation.isEnding) this.#stop(call, shutDownError(this.#conversation.dialect)) if (call.stopped !== undefined) call.fiber?.interruptUnsafe()`,
      replace: ``
    },
    {
      name: "an-answer-that-waited-is-not-given-up-in-its-first-step",
      promise: 8,
      test: "packages/peer/test/regression/router.test.ts",
      find: `isTaking ? Effect.andThen(Effect.yieldNow, end) : end`,
      replace: `end`
    },
    {
      name: "shutting-down-answers-what-was-cancelled",
      promise: 20,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `if (call.stopped !== undefined) return call.stopped =`,
      replace: `call.stopped =`
    }
  ]
} satisfies Mutants
