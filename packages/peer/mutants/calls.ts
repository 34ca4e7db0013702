import type { Mutants } from "../../../tools/mutants/Mutant.ts"

/** Our calls: ids, responses, deadlines, what belongs to a call, and how it is taken back. */
export default {
  file: "packages/peer/src",
  test: "packages/peer/test/Calls.test.ts",
  mutants: [
    {
      name: "an-answer-ends-the-call-of-another-post",
      promise: 7,
      test: "packages/peer/test/posts/Exchange.test.ts",
      title: "a response belongs to its exchange",
      find: `|| entry.owner === lane)`,
      replace: `|| entry.owner !== undefined)`
    },
    {
      name: "a-response-ends-the-oldest-call",
      promise: 7,
      test: "packages/peer/test/posts/Asked.test.ts",
      find: `(lane.answers?.awaited === undefined || entry.owner === lane) ? entry`,
      replace: `(lane.answers?.awaited === undefined || entry.owner === lane) ? this.#conversation.ours.get(1)`
    },
    {
      name: "a-call-is-resumed-before-it-is-removed",
      promise: 7,
      find: `if (!this.#entries.delete(entry)) return false this.size--`,
      replace: `setTimeout(() => this.#entries.delete(entry), 0); this.size--`
    },
    {
      name: "what-a-batch-leaves-out-waits",
      promise: 7,
      test: "packages/peer/test/regression/batches.test.ts",
      find: `for (const group of groups) this.#endGroup(group)`,
      replace: `for (const group of groups) void group`
    },
    {
      name: "an-id-has-many-spellings",
      promise: 16,
      test: "packages/peer/test/Ids.test.ts",
      find: `entry !== undefined && this.idOf(entry) === id ? entry`,
      replace: `entry !== undefined ? entry`
    },
    {
      name: "a-cancellation-names-the-number",
      promise: 8,
      test: "packages/peer/test/Ids.test.ts",
      find: `{ [cancellation.member]: this.ours.idOf(call) }`,
      replace: `{ [cancellation.member]: call.id }`
    },
    {
      name: "any-batch-is-refused",
      promise: 7,
      test: "packages/peer/test/regression/batches.test.ts",
      find: `if (only !== undefined) { host.log(`,
      replace: `if (false) { host.log(`
    },
    {
      name: "a-batch-that-is-too-large-waits",
      promise: 7,
      test: "packages/peer/test/regression/batches.test.ts",
      find: `|| code === tooLargeCode`,
      replace: ``
    },
    {
      name: "an-error-without-id-comes-before-the-answers",
      promise: 7,
      test: "packages/peer/test/posts/Exchange.test.ts",
      title: "an error without id in a batch is no answer",
      find: `for (const order of [0, 1, 2] as const)`,
      replace: `for (const order of [0, 2, 1] as const)`
    },
    {
      name: "interrupted-calls-stay",
      promise: 8,
      test: "packages/peer/test/Lanes.test.ts",
      find: `if (this.#conversation.ours.forget(entry)) withdrawn = lane.expired(entry)`,
      replace: `withdrawn = lane.expired(entry)`
    },
    {
      name: "nobody-is-told-of-a-cancellation",
      promise: 8,
      find: `lane.write(Message.notificationText(cancellation.method, params, undefined, this.form), "reply")`,
      replace: ``
    },
    {
      name: "every-method-can-be-cancelled",
      promise: 8,
      find: `|| cancellation.except.includes(call.method)`,
      replace: ``
    },
    {
      name: "a-lane-hears-of-no-timeout",
      promise: 8,
      test: "packages/peer/test/Lanes.test.ts",
      find: `owner.expired(entry)`,
      replace: `void entry`
    },
    {
      name: "calls-without-time-are-written",
      promise: 8,
      test: "packages/peer/test/regression/parked.test.ts",
      find: `if (millis === 0 && !ours.isWaiting(entry)) return`,
      replace: ``
    },
    {
      name: "no-call-gets-more-time",
      promise: 8,
      test: "packages/peer/test/Prolonging.test.ts",
      find: `if (more > 0) return`,
      replace: `if (more > 1e9) return`
    },
    {
      name: "a-call-that-throws-for-more-time-waits-for-ever",
      promise: 8,
      test: "packages/peer/test/Prolonging.test.ts",
      find: `this.#guard("extend", entry, () => more = entry.extend?.() ?? 0)`,
      replace: `more = entry.extend()`
    },
    {
      name: "calls-after-the-end-wait",
      promise: 9,
      find:
        `if (reason !== undefined) return resume(Exit.fail(unsent(reason, { method }))) if (ours.size >= limits.waiting)`,
      replace: `if (ours.size >= limits.waiting)`
    },
    {
      name: "a-caller-that-throws-keeps-the-end-from-others",
      promise: 9,
      test: "packages/peer/test/regression/defects.test.ts",
      find: `entry.resume(outcome) } catch (defect) {`,
      replace: `entry.resume(outcome) } catch (defect) { throw defect`
    },
    {
      name: "the-scope-forgets-its-calls",
      promise: 9,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `correlator.close({ _tag: "Closed" }, isWritten)`,
      replace: `void correlator`
    },
    {
      name: "listeners-hear-of-no-end",
      promise: 9,
      test: "packages/peer/test/Streaming.test.ts",
      find: `(entry.listener.end(error), true)`,
      replace: `true`
    },
    {
      name: "the-end-of-a-listener-is-told-to-those-that-were-removed",
      promise: 9,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "is not told to a listener that the end of another has removed",
      find: `for (const entry of entries) { // One that is told may have removed others.`,
      replace: `for (const entry of [...entries]) {`
    },
    {
      name: "a-response-during-the-write-is-lost",
      promise: 10,
      find: `entry !== undefined && (lane.answers?.awaited === undefined`,
      replace: `entry !== undefined && !lane.traffic.isSending && (lane.answers?.awaited === undefined`
    },
    {
      name: "a-response-that-no-call-waits-for-is-answered",
      promise: 10,
      find: `return this.#drop(response.id, "no call waits for it")`,
      replace: `return void from.settle(errorText(RequestId.toText(response.id), ErrorObject.invalidRequest()))`
    },
    {
      name: "a-notification-on-a-closed-lane-waits-behind-others",
      promise: 9,
      test: "packages/peer/test/regression/closing.test.ts",
      find: `if (this.#conversation.closedFor(lane) !== undefined || this.#mayPass(lane, isWindowed)) enter()`,
      replace: `if (this.#mayPass(lane, isWindowed)) enter()`
    },
    {
      name: "notifications-wait-for-room-on-a-lane-that-is-closed",
      promise: 9,
      test: "packages/peer/test/regression/parked.test.ts",
      find: `this.#conversation.closedFor(lane) !== undefined || this.#conversation.room.mayWrite(lane, line)`,
      replace: `this.#conversation.room.mayWrite(lane, line)`
    },
    {
      name: "a-response-without-a-result-ends-nothing",
      promise: 10,
      find: `|| (error._tag === "InvalidRequest" && Message.isEmpty(error))`,
      replace: ``
    },
    {
      name: "what-is-dropped-is-not-logged",
      promise: 10,
      find: `if (this.#isDebugging) this.fork(Effect.logDebug(Excerpt.line(message, longestLine)))`,
      replace: ``
    },
    {
      name: "responses-come-before-what-belongs-to-their-calls",
      promise: 11,
      test: "packages/peer/test/Lanes.test.ts",
      find: `tag === "InvalidResponse" ? 1 : 0`,
      replace: `tag === "InvalidResponse" ? 0 : 1`
    },
    {
      name: "progress-queues-behind-handlers",
      promise: 11,
      find: `if (progress !== undefined && params !== undefined && ours.progress(progress, params)) return true`,
      replace: ``
    },
    {
      name: "partial-results-queue-behind-handlers",
      promise: 11,
      test: "packages/peer/test/Streaming.test.ts",
      find: `partial !== undefined && value !== undefined && ours.partialResult(partial, value)`,
      replace: `false`
    },
    {
      name: "what-is-listened-to-queues-behind-handlers",
      promise: 11,
      test: "packages/peer/test/Streaming.test.ts",
      find: `|| listeners.take(notification)`,
      replace: `|| (queueMicrotask(() => listeners.take(notification)), false)`
    },
    {
      name: "listeners-take-what-is-not-theirs",
      promise: 11,
      test: "packages/peer/test/Streaming.test.ts",
      title: "hears nothing after its Scope, and shares what it does not take",
      find: `() => listener.take(params))`,
      replace: `() => (listener.take(params), true))`
    },
    {
      name: "listeners-hear-what-came-before-them",
      promise: 11,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "that come while others are asked hear what comes next",
      find: `if (number > last) return false`,
      replace: ``
    },
    {
      name: "progress-and-partial-results-share-a-token",
      promise: 11,
      test: "packages/peer/test/Streaming.test.ts",
      find: `withToken(partialResults, asking, partialResultToken(id))`,
      replace: `withToken(partialResults, asking, progressToken(id))`
    },
    {
      name: "tokens-of-others-are-ours",
      promise: 11,
      test: "packages/peer/test/Streaming.test.ts",
      find: `token === tokenOf(id) ? id : undefined`,
      replace: `id`
    },
    {
      name: "null-is-a-token",
      promise: 11,
      test: "packages/peer/test/Streaming.test.ts",
      title: "are asked for with a string or a number",
      find: `typeof token === "string" || typeof token === "number" ? token : undefined`,
      replace: `token as string | undefined`
    },
    {
      name: "partial-results-have-no-token",
      promise: 11,
      test: "packages/peer/test/Streaming.test.ts",
      find: `{ [member]: token, [name]: value }`,
      replace: `{ [name]: value }`
    },
    {
      name: "pauses-hold-back-what-takes-no-partial-results",
      promise: 12,
      test: "packages/peer/test/regression/streams.test.ts",
      title: "holds back no response of a call that would take partial results",
      find:
        `call?.onPartialResult !== undefined && Progress.asksPartialResults(dialect, params) ? call.onPartialResult`,
      replace: `call?.onPartialResult !== undefined ? call.onPartialResult`
    },
    {
      name: "ids-start-at-zero",
      promise: 16,
      test: "packages/peer/test/Serving.test.ts",
      find: `new Entry(this, owner, ++this.lastId, method`,
      replace: `new Entry(this, owner, this.lastId++, method`
    },
    {
      name: "ids-are-reused",
      promise: 16,
      test: "packages/peer/test/Serving.test.ts",
      find: `new Entry(this, owner, ++this.lastId, method`,
      replace: `new Entry(this, owner, this.#entries.size + 1, method`
    },
    {
      name: "a-batch-without-any-time-is-written",
      promise: 8,
      test: "packages/peer/test/regression/parked.test.ts",
      title: "promise 8: an interrupted or timed-out call leaves nothing behind: nor does a batch without any time",
      find: `if (requests > 0 && open === 0) {`,
      replace: `if (requests < 0) {`
    },
    {
      name: "requests-that-have-ended-are-written-beside-notifications",
      promise: 8,
      test: "packages/peer/test/regression/parked.test.ts",
      title: "promise 8: an interrupted or timed-out call leaves nothing behind: in a batch, its notifications go out",
      find: `if (!ours.isWaiting(entry)) return []`,
      replace: ``
    },
    {
      name: "notifications-beside-requests-that-have-ended-are-forgotten",
      promise: 17,
      test: "packages/peer/test/regression/parked.test.ts",
      title: "promise 8: an interrupted or timed-out call leaves nothing behind: in a batch, its notifications go out",
      find: `else lane.traffic.parked?.free(text)`,
      replace: `else lane.traffic.parked?.delete(text)`
    },
    {
      name: "notifications-beside-requests-that-have-ended-wait-for-the-window",
      promise: 17,
      test: "packages/peer/test/regression/parked.test.ts",
      title: "promise 8: an interrupted or timed-out call leaves nothing behind: in a batch, its notifications go out",
      find: `else lane.traffic.parked?.free(text)`,
      replace: ``
    },
    {
      name: "a-call-overtakes-those-that-wait-for-room",
      promise: 18,
      test: "packages/peer/test/regression/parked.test.ts",
      title: "a call that is made when another has ended goes out behind those that wait",
      find: `lane.traffic.parked?.isAhead(isWindowed) !== true && `,
      replace: ``
    }
  ]
} satisfies Mutants
