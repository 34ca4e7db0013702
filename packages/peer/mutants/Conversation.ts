import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** The one look after every event, and the one field that says how far a conversation has come. */
export default {
  file: "packages/peer/src/internal",
  test: "packages/peer/test/Rest.test.ts",
  mutants: [
    {
      name: "a-step-runs-inside-of-a-step",
      promise: 22,
      test: "packages/peer/test/room/reentry.test.ts",
      find: `if (this.#isStepping) return`,
      replace: ``
    },
    {
      name: "what-the-taking-of-a-text-throws-is-lost",
      promise: 9,
      test: "packages/peer/test/Reading.test.ts",
      find: `this.abort({ _tag: "Lost", cause: defect })`,
      replace: ``
    },
    {
      name: "reading-goes-on-before-calls-start",
      promise: 22,
      find: `this.advance() this.#isFlushed = this.#port.stepped?.() !== false`,
      replace: `this.#isFlushed = this.#port.stepped?.() !== false; this.advance()`
    },
    {
      name: "an-event-during-a-step-is-lost",
      promise: 22,
      find: `this.#hasEvent = true if (this.#isStepping) return`,
      replace: `if (this.#isStepping) return; this.#hasEvent = true`
    },
    {
      name: "a-step-looks-once",
      promise: 22,
      find: `while (this.#hasEvent) {`,
      replace: `if (this.#hasEvent) {`
    },
    {
      name: "a-pause-goes-on-before-it-counts-no-more",
      promise: 22,
      find: `this.room.pause(false) this.step()`,
      replace: `this.step(); this.room.pause(false)`
    },
    {
      name: "a-text-without-room-looks-once",
      promise: 22,
      find: `this.#waiters?.look()`,
      replace: `if (this.#phase > open) this.#waiters?.look()`
    },
    {
      name: "a-text-that-never-fits-waits",
      promise: 22,
      test: "packages/peer/test/regression/room.test.ts",
      find: `return this.fits(weight) || this.isTooHeavy(weight) ? undefined`,
      replace: `return this.fits(weight) ? undefined`
    },
    {
      name: "a-cancellation-that-came-too-early-is-looked-for-once",
      promise: 12,
      test: "packages/peer/test/regression/room.test.ts",
      find: `if (isCancelled === false) this.#wantsSearch = true`,
      replace: ``
    },
    {
      name: "calls-hear-of-the-end-before-those-who-wait-for-it",
      promise: 9,
      test: "packages/peer/test/Reconnecting.test.ts",
      title: "who calls again in the turn in which the connection was lost",
      find: `this.reason = reason this.#port.ended?.(reason)`,
      replace: `this.reason = reason; queueMicrotask(() => this.#port.ended?.(reason))`
    },
    {
      name: "the-end-overtakes-what-a-pause-holds",
      promise: 9,
      test: "packages/peer/test/regression/streams.test.ts",
      find: `if (!isOrderly || !isHolding) this.endCalls()`,
      replace: `this.endCalls()`
    },
    {
      name: "what-is-written-was-handed-over",
      promise: 9,
      test: "packages/peer/test/Calls.test.ts",
      find: `isWritten(call) && traffic !== undefined && call.place <= (traffic.handedOver ?? call.place)`,
      replace: `isWritten(call)`
    },
    {
      name: "what-draining-writes-was-not-sent",
      promise: 9,
      test: "packages/peer/test/regression/parked.test.ts",
      find: `this.#ours?.close(reason, isWritten)`,
      replace: `this.#ours?.close(reason, (call) => this.#isSent(call))`
    },
    {
      name: "closing-leaves-the-handlers",
      promise: 9,
      test: "packages/peer/test/Lanes.test.ts",
      find: `Effect.sync(() => this.end(reason)), this.until(() => this.isClosed))`,
      replace: `Effect.sync(() => this.end(reason)), Effect.void)`
    },
    {
      name: "pauses-hold-back-responses",
      promise: 12,
      test: "packages/peer/test/Streaming.test.ts",
      find: `if (this.#pauses > 0 && !isHurried) return`,
      replace: `if (this.#pauses > 0) return`
    },
    {
      name: "calls-with-partial-results-let-nobody-pause",
      promise: 12,
      test: "packages/peer/test/Streaming.test.ts",
      find: `waiting.size - waiting.streaming`,
      replace: `waiting.size`
    },
    {
      name: "a-full-inbox-stops-what-a-call-of-ours-waits-for",
      promise: 17,
      test: "packages/peer/test/Serving.test.ts",
      find: `const goesOn = isHurried || traffic.isBlocked`,
      replace: `const goesOn = traffic.isBlocked`
    },
    {
      name: "every-end-interrupts",
      promise: 19,
      test: "packages/peer/test/Ends.test.ts",
      find: `isOrderly ? finishing : ending`,
      replace: `ending`
    },
    {
      name: "the-end-of-a-process-drops-what-it-wrote-last",
      promise: 19,
      test: "packages/peer/test/Ends.test.ts",
      find: `new Set(["EndOfInput", "Exited"])`,
      replace: `new Set(["EndOfInput"])`
    },
    {
      name: "every-end-drains",
      promise: 19,
      test: "packages/peer/test/Ends.test.ts",
      find: `isOrderly ? finishing : ending`,
      replace: `finishing`
    },
    {
      name: "what-has-not-drained-in-time-is-only-asked-to-shut-down",
      promise: 19,
      test: "packages/peer/test/Ends.test.ts",
      find: `overstay(): void { this.#advance(ending)`,
      replace: `overstay(): void { this.#advance(refusing)`
    },
    {
      name: "what-runs-behind-replies-outlives-the-end",
      promise: 19,
      test: "packages/peer/test/regression/streams.test.ts",
      find: `for (const fiber of [...this.#behind ?? []]) fiber.interruptUnsafe()`,
      replace: ``
    },
    {
      name: "streams-go-on-in-a-drain",
      promise: 19,
      test: "packages/conformance/test/simulation/Restarts.test.ts",
      title: "promise 19: end of input drains: streams end first",
      find: `this.#draining = undefined hearing?.forEach((hear) => hear())`,
      replace: `this.#draining = hearing`
    },
    {
      name: "shutting-down-runs-what-waits",
      promise: 19,
      test: "packages/peer/test/Ends.test.ts",
      find: `this.#advance(refusing) const hearing`,
      replace: `this.#advance(finishing); const hearing`
    },
    {
      name: "deadlines-outlive-the-end",
      promise: 21,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `this.host.timers.clear() this.#port.closed?.(reason)`,
      replace: `this.#port.closed?.(reason)`
    },
    {
      name: "texts-that-wait-fill-the-budget",
      promise: 22,
      test: "packages/peer/test/regression/room.test.ts",
      find: `this.#all.add(look)`,
      replace: `this.#all.add(look); this.#conversation.host.budget.take(1_000)`
    },
    {
      name: "notifications-end-an-honest-connection",
      promise: 17,
      test: "packages/peer/test/regression/waiting.test.ts",
      find: `const wait = goesOn ? this.#wantsWhileHeldUp(weight)`,
      replace: `const wait = goesOn ? undefined`
    },
    {
      name: "notifications-wait-for-handlers-that-have-parked",
      promise: 17,
      test: "packages/peer/test/Serving.test.ts",
      find: `const wait = goesOn ? this.#wantsWhileHeldUp(weight)`,
      replace: `const wait = goesOn ? this.#wants(weight)`
    },
    {
      name: "requests-that-can-be-refused-wait",
      promise: 17,
      test: "packages/peer/test/Serving.test.ts",
      find: `asks(text, lane, goesOn)`,
      replace: `asks(text, lane, false)`
    },
    {
      name: "who-cannot-write-stops-reading",
      promise: 18,
      test: "packages/conformance/test/regression/histories.test.ts",
      title: "history: ",
      find: `const goesOn = isHurried || traffic.isBlocked`,
      replace: `const goesOn = isHurried`
    },
    {
      name: "a-long-chunk-keeps-others-waiting",
      promise: 12,
      test: "packages/peer/test/regression/waiting.test.ts",
      find: `this.#at < chunk.length && this.#turn < fairness && `,
      replace: `this.#at < chunk.length && `
    },
    {
      name: "an-interruption-lets-the-next-go-at-once",
      promise: 8,
      test: "packages/peer/test/regression/waiting.test.ts",
      find: `queueMicrotask(() => this.#conversation.step())`,
      replace: `this.#conversation.step()`
    },
    {
      name: "replies-that-pile-up-hold-back-partial-results",
      promise: 18,
      test: "packages/conformance/test/regression/histories.test.ts",
      title: "history: ",
      find: `if (traffic.isOverfull && !this.#isAwaiting(lane)) return`,
      replace: `if (traffic.isOverfull && !isHurried) return`
    },
    {
      name: "a-spent-budget-holds-back-long-partial-results",
      promise: 18,
      test: "packages/conformance/test/regression/histories.test.ts",
      title: "history: ",
      find: `lane.traffic.bounds.mayWait && !this.#isAwaiting(lane)`,
      replace: `lane.traffic.bounds.mayWait && !this.#isHurried(lane)`
    },
    {
      name: "a-new-listener-is-not-looked-at",
      promise: 22,
      test: "packages/peer/test/regression/room.test.ts",
      find: `this.#conversation.step() return Effect.succeed(() => {`,
      replace: `return Effect.succeed(() => {`
    },
    {
      name: "a-conversation-closes-twice",
      promise: 9,
      test: "packages/peer/test/regression/lost.test.ts",
      find: `if (this.isClosed) return this.#phase = closed`,
      replace: `this.#phase = closed`
    },
    {
      name: "all-that-wait-take-the-same-room",
      promise: 17,
      test: "packages/peer/test/regression/room.test.ts",
      find: `if (text !== undefined) take(text) return text !== undefined`,
      replace: `if (text !== undefined) queueMicrotask(() => take(text))
      return text !== undefined`
    },
    {
      name: "what-waits-does-not-hear-of-room",
      promise: 22,
      test: "packages/peer/test/regression/room.test.ts",
      find: `host.budget.onRoom(() => this.#conversation.step())`,
      replace: `host.budget.onRoom(() => {})`
    }
  ]
} satisfies Mutants
