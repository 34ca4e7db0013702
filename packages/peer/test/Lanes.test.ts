/** Promises 7 to 11, 13 to 17, 20 and 21, kept by sessions. */
import { assert, describe, it } from "@effect/vitest"
import { Dialect } from "@parley/protocol"
import { Deferred, Effect, Exit, Fiber, Logger, Option, type Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import type * as Handler from "../src/Handler.ts"
import type * as Session from "../src/Session.ts"
import { ask, asking, echo, makeLane, open, parsed, question, result } from "./lanes.ts"
import { failure, notification, request, settle, success } from "./wire.ts"

const cancelled = (id: number) => ({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } })

const cancel = (id: number) => notification("$/cancelRequest", { id })

const hang: Handler.Handler = () => Effect.never

describe("a session", () => {
  it.effect("promise 8: an interrupted call leaves nothing behind, and tells the other side by its lane", () =>
    Effect.gen(function*() {
      const session = yield* open({ ask })
      const { lane, sent } = makeLane()
      const asked = yield* asking(session, request("a", "ask"), lane)
      assert.isTrue(Option.isNone(yield* session.answer(notification("$/cancelRequest", { id: "a" }))))
      assert.deepStrictEqual(yield* Fiber.join(asked), failure("a", -32800, "Request cancelled"))
      assert.deepStrictEqual(sent, [question(1), cancelled(1)])
      assert.deepStrictEqual([session.running(), session.waiting()], [0, 0])
    }))

  it.effect("promise 8: a timed-out call leaves nothing behind, and tells the other side by its lane", () =>
    Effect.gen(function*() {
      const session = yield* open({ ask }, { timeout: 100 })
      const one = makeLane()
      const other = makeLane()
      const asked = yield* asking(session, request(1, "ask"), one.lane)
      const both = yield* Effect.forkChild(
        session.caller(other.lane).batch([{ method: "question" }, { method: "question" }], { timeout: 200 }),
        { startImmediately: true }
      )
      yield* TestClock.adjust(110)
      assert.deepStrictEqual(yield* Fiber.join(asked), result(1, "RequestTimeout"))
      assert.deepStrictEqual(one.sent, [question(1), cancelled(1)])
      assert.strictEqual(session.waiting(), 2)
      yield* TestClock.adjust(100)
      assert.strictEqual((yield* Fiber.join(both)).length, 2)
      assert.deepStrictEqual(other.sent, [[question(2), question(3)], cancelled(2), cancelled(3)])
      assert.strictEqual(session.waiting(), 0)
    }))

  it.effect("promise 8: an interrupted answer ends its own handlers, waits for them, and lets others run", () =>
    Effect.gen(function*() {
      const ended: Array<unknown> = []
      const go = yield* Deferred.make<void>()
      const session = yield* open({
        wait: (call) =>
          Effect.onInterrupt(
            Effect.never,
            () => Effect.andThen(Deferred.await(go), Effect.sync(() => ended.push(call.id)))
          )
      }, { limits: { inFlight: 2 } })
      const lane = makeLane().lane
      const first = yield* asking(session, `[${request(1, "wait")},${request(2, "wait")},${request(3, "wait")}]`, lane)
      const second = yield* asking(session, request(4, "wait"), lane)
      assert.strictEqual(session.running(), 4)
      const interruption = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
      yield* settle
      assert.isUndefined(interruption.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(interruption)
      assert.deepStrictEqual(ended, [1, 2])
      assert.strictEqual(session.running(), 1)
      assert.isUndefined(second.pollUnsafe())
    }))

  it.effect("promise 8: nothing is cancelled that the dialect excepts", () =>
    Effect.gen(function*() {
      const cancellation = Dialect.cancelledNotification(["initialize", "question"])
      const session = yield* open({ initialize: hang, ask }, {
        dialect: Dialect.make({ name: "x", cancellation }),
        timeout: 100
      })
      const { lane, sent } = makeLane()
      const initializing = yield* asking(session, request(1, "initialize"))
      const asked = yield* asking(session, request(2, "ask"), lane)
      yield* session.answer(notification("notifications/cancelled", { requestId: 1 }))
      yield* TestClock.adjust(110)
      assert.deepStrictEqual(yield* Fiber.join(asked), result(2, "RequestTimeout"))
      assert.deepStrictEqual(sent, [question(1)])
      assert.isUndefined(initializing.pollUnsafe())
    }))

  it.effect("promise 9: closing ends every call, and every later one, and waits for handlers", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const go = yield* Deferred.make<void>()
      const session = yield* Scope.provide(
        open({ ask, slow: () => Effect.onInterrupt(Effect.never, () => Deferred.await(go)) }),
        scope
      )
      const { lane } = makeLane()
      const caller = session.caller(lane)
      const asked = yield* asking(session, request(1, "ask"), lane)
      const slow = yield* asking(session, request(2, "slow"), lane)
      const call = yield* Effect.forkChild(Effect.flip(caller.request("question")), { startImmediately: true })
      assert.isUndefined(session.gone())
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", sent: true })
      assert.deepStrictEqual(yield* Fiber.join(asked), result(1, "Disconnected Closed true"))
      assert.isUndefined(closing.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(yield* Fiber.join(slow), failure(2, -32000, "Shutting down", { started: true }))
      assert.deepStrictEqual(session.gone(), { _tag: "Closed" })
      assert.deepInclude(yield* Effect.flip(caller.request("m")), { _tag: "Disconnected", sent: false })
      assert.deepInclude(yield* Effect.flip(caller.notify("m")), { _tag: "Disconnected", sent: false })
      assert.deepStrictEqual(
        parsed(yield* session.answer(request(3, "ask"), lane)),
        failure(3, -32000, "Shutting down", { started: false })
      )
      assert.isTrue(Option.isNone(yield* session.answer(notification("ask"), lane)))
      yield* session.close
    }))

  it.effect("promise 9: a lane ends with its answer, and calls that went by it go on waiting", () =>
    Effect.gen(function*() {
      const later = yield* Deferred.make<Handler.Call["peer"]>()
      const outcomes: Array<unknown> = []
      const session = yield* open({
        leave: (call) =>
          Effect.gen(function*() {
            yield* Effect.forkDetach(
              Effect.tap(call.peer.request("question"), (answer) => Effect.sync(() => outcomes.push(answer))),
              { startImmediately: true }
            )
            yield* Deferred.succeed(later, call.peer)
            return null
          })
      })
      const { lane, sent } = makeLane()
      yield* session.answer(request(1, "leave"), lane)
      const peer = yield* Deferred.await(later)
      for (const call of [peer.request("m"), peer.notify("m"), peer.batch([{ method: "m" }])]) {
        assert.deepInclude(yield* Effect.flip<unknown, unknown, never>(call), { _tag: "Disconnected", sent: false })
      }
      assert.deepStrictEqual(sent, [question(1)])
      assert.strictEqual(session.waiting(), 1)
      yield* session.answer(success(1, "at last"))
      yield* settle
      assert.deepStrictEqual(outcomes, ["at last"])
    }))

  it.effect("promise 9: a call that waits for its turn on a lane ends with the lane, and was not sent", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      const outcomes: Array<unknown> = []
      const go = yield* Deferred.make<void>()
      const lane: Session.Lane = {
        send: (text) => Effect.andThen(Effect.sync(() => sent.push(text)), Deferred.await(go))
      }
      const session = yield* open({
        leave: (call) => {
          const left = Effect.tap(ask(call), (outcome) => Effect.sync(() => void outcomes.push(outcome)))
          return Effect.as(Effect.all([Effect.forkDetach(left), Effect.forkDetach(left), settle]), null)
        }
      })
      assert.deepStrictEqual(parsed(yield* session.answer(request(1, "leave"), lane)), result(1, null))
      yield* settle
      assert.deepStrictEqual(outcomes, ["Disconnected Closed false"])
      yield* Deferred.succeed(go, undefined)
      yield* session.answer(success(1, "late"))
      yield* settle
      assert.deepStrictEqual(outcomes, ["Disconnected Closed false", "late"])
      assert.strictEqual(sent.length, 1)
    }))

  it.effect("promise 9: a call that waits for its turn on a lane was not sent", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      const go = yield* Deferred.make<void>()
      const lane: Session.Lane = {
        send: (text) => Effect.andThen(Effect.sync(() => sent.push(text)), Deferred.await(go))
      }
      const session = yield* open({
        two: (call) => Effect.map(Effect.all([ask(call), ask(call)], { concurrency: 2 }), String)
      })
      const asked = yield* asking(session, request(1, "two"), lane)
      assert.strictEqual(sent.length, 1)
      assert.strictEqual(session.waiting(), 2)
      yield* session.close
      assert.deepStrictEqual(
        yield* Fiber.join(asked),
        result(1, "Disconnected Closed true,Disconnected Closed false")
      )
      yield* Deferred.succeed(go, undefined)
      yield* settle
      assert.strictEqual(sent.length, 1)
    }))

  it.effect("promise 10: a response that arrives before send returns is not lost", () =>
    Effect.gen(function*() {
      const session = yield* open({ ask })
      const lane: Session.Lane = {
        send: (text) => Effect.andThen(session.answer(success(JSON.parse(text).id, "early")), Effect.never)
      }
      assert.deepStrictEqual(parsed(yield* session.answer(request(1, "ask"), lane)), result(1, "early"))
    }))

  it.effect("promise 10: a response that no call waits for is not answered", () =>
    Effect.gen(function*() {
      const session = yield* open({ ask })
      const { lane, sent } = makeLane()
      for (const text of [success(1, 1), `{"jsonrpc":"2.0","id":1,"error":1}`, `[${success(7, 1)}]`]) {
        assert.isTrue(Option.isNone(yield* session.answer(text, lane)))
      }
      const asked = yield* asking(session, request(1, "ask"), lane)
      yield* session.answer(success(7, "no"))
      yield* session.answer(success("1", "no"))
      assert.isUndefined(asked.pollUnsafe())
      assert.isTrue(Option.isNone(yield* session.answer(`{"jsonrpc":"2.0","id":1}`)))
      assert.deepStrictEqual(yield* Fiber.join(asked), result(1, "InvalidResponse"))
      assert.deepStrictEqual(sent, [question(1)])
    }))

  it.effect("promise 11: what belongs to a call reaches it before its response, by the lane of the call", () =>
    Effect.gen(function*() {
      const session = yield* open({
        work: (call) =>
          Effect.orDie(Effect.gen(function*() {
            yield* call.progress({ percentage: 50 })
            yield* call.partialResult?.(["a"]) ?? Effect.void
            yield* call.peer.notify("done", [1])
            return ["b"]
          }))
      })
      const { lane, sent } = makeLane()
      const reply = yield* session.answer(request(1, "work", { workDoneToken: "w", partialResultToken: "p" }), lane)
      assert.deepStrictEqual([...sent, parsed(reply)], [
        { jsonrpc: "2.0", method: "$/progress", params: { percentage: 50, token: "w" } },
        { jsonrpc: "2.0", method: "$/progress", params: { token: "p", value: ["a"] } },
        { jsonrpc: "2.0", method: "done", params: [1] },
        result(1, ["b"])
      ])
    }))

  it.effect("promise 11: what belongs to a call of ours reaches it before its response, by whichever text", () =>
    Effect.gen(function*() {
      const seen: Array<Schema.Json> = []
      const session = yield* open({
        slowly: hang,
        work: (call) =>
          Effect.orDie(call.peer.request("question", {}, { onProgress: (params) => void seen.push(params) }))
      })
      const { lane, sent } = makeLane()
      yield* asking(session, notification("slowly"))
      const asked = yield* asking(session, request(1, "work"), lane)
      yield* TestClock.adjust("31 seconds")
      yield* settle
      assert.deepInclude(sent[0], { params: { workDoneToken: "progress-1" } })
      const progress = notification("$/progress", { token: "progress-1", percentage: 1 })
      yield* session.answer(`[${progress},${success(1, "done")}]`, makeLane().lane)
      assert.deepStrictEqual(yield* Fiber.join(asked), result(1, "done"))
      assert.deepStrictEqual(seen, [{ token: "progress-1", percentage: 1 }])
    }))

  it.effect("promise 13: a request sees the notifications of texts before it, until one waits for the peer", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      const session = yield* open({ note: () => Deferred.await(go), asks: (call) => Effect.asVoid(ask(call)), echo })
      const { lane } = makeLane()
      const note = yield* asking(session, notification("note"))
      const behind = yield* asking(session, request(1, "echo", [1]), lane)
      yield* settle
      assert.isUndefined(note.pollUnsafe())
      assert.isUndefined(behind.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      assert.deepStrictEqual(yield* Fiber.join(behind), result(1, [1]))
      const asks = yield* asking(session, notification("asks"), lane)
      assert.deepStrictEqual(parsed(yield* session.answer(request(2, "echo", [2]), lane)), result(2, [2]))
      yield* session.answer(success(1, null))
      assert.strictEqual(yield* Fiber.join(asks), null)
    }))

  it.effect("promise 14: one bad message costs one error reply", () =>
    Effect.gen(function*() {
      const session = yield* open({ echo })
      for (let time = 0; time < 200; time++) {
        assert.deepStrictEqual(parsed(yield* session.answer("{")), failure(null, -32700, "Parse error"))
      }
      const mixed = `[1,${request(1, "echo", [1])},{"jsonrpc":"2.0","method":1,"id":2}]`
      assert.deepStrictEqual(parsed(yield* session.answer(mixed)), [
        failure(null, -32600, "Invalid Request"),
        result(1, [1]),
        failure(2, -32600, "Invalid Request")
      ])
    }))

  it.effect("promise 15: a defect answers -32603 without data, and its cause goes to our log only", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make(({ cause, message }) => void lines.push(`${String(message)} ${JSON.stringify(cause)}`))
      const reply = yield* Effect.flatMap(
        open({ crash: () => Effect.die("secret") }),
        (session) => session.answer(request(1, "crash"))
      ).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(parsed(reply), failure(1, -32603, "Internal error"))
      assert.strictEqual(lines.filter((line) => line.includes("secret")).length, 1)
    }))

  it.effect("promise 16: ids start at 1 and are never reused, however long nothing runs between them", () =>
    Effect.gen(function*() {
      const session = yield* open({ ask, echo })
      const ids: Array<unknown> = []
      for (let time = 1; time <= 20; time++) {
        const lane: Session.Lane = {
          send: (text) => {
            const { id } = JSON.parse(text)
            ids.push(id)
            return Effect.asVoid(session.answer(success(id, time)))
          }
        }
        assert.deepStrictEqual(parsed(yield* session.answer(request(1, "ask"), lane)), result(1, time))
        yield* session.answer(request(1, "echo"))
        assert.strictEqual(yield* session.caller(lane).request("question"), time)
      }
      assert.deepStrictEqual(ids, Array.from({ length: 40 }, (_, index) => index + 1))
    }))

  it.effect("promise 16: two requests with one id both run, and a cancel in a third text ends the older", () =>
    Effect.gen(function*() {
      const session = yield* open({ hang, echo })
      const older = yield* asking(session, request(1, "hang"), makeLane().lane)
      const younger = yield* asking(session, request(1, "hang"), makeLane().lane)
      yield* session.answer(cancel(1))
      assert.deepStrictEqual(yield* Fiber.join(older), failure(1, -32800, "Request cancelled"))
      assert.isUndefined(younger.pollUnsafe())
      yield* session.answer(cancel(1), makeLane().lane)
      assert.deepStrictEqual(yield* Fiber.join(younger), failure(1, -32800, "Request cancelled"))
    }))

  it.effect("promise 17: calls beyond the in-flight limit of the session wait in a bounded inbox", () =>
    Effect.gen(function*() {
      const go = yield* Deferred.make<void>()
      let running = 0
      const session = yield* open({
        wait: () => Effect.andThen(Effect.sync(() => running++), Effect.as(Deferred.await(go), "ok"))
      }, { limits: { inFlight: 2, inbox: 3, batch: 3 } })
      const asked = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7], (id) => asking(session, request(id, "wait")))
      assert.deepStrictEqual([running, session.running()], [2, 5])
      yield* Deferred.succeed(go, undefined)
      assert.deepStrictEqual(yield* Effect.forEach(asked, Fiber.join), [
        ...[1, 2, 3, 4, 5, 6, 7].map((id) => result(id, "ok"))
      ])
    }))

  it.effect("promise 17: notifications that exceed the budget end the session, and calls are bounded", () =>
    Effect.gen(function*() {
      const session = yield* open({ hang, ask }, {
        limits: { inbox: 2, batch: 2, budget: 15_000, waiting: 1, notification: 10 }
      })
      const { lane } = makeLane()
      const caller = session.caller(lane)
      const call = yield* Effect.forkChild(Effect.flip(caller.request("m")), { startImmediately: true })
      assert.deepInclude(yield* Effect.flip(caller.request("m")), { _tag: "Overloaded", limit: 1 })
      const notes = yield* Effect.forEach([1, 2, 3, 4, 5], () => asking(session, notification("hang")))
      const last = yield* asking(session, notification("hang"))
      assert.isUndefined(session.gone())
      // While a handler holds up the others, what has no room waits.
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(last)
      assert.deepStrictEqual(session.gone(), { _tag: "Overrun" })
      assert.deepInclude(yield* Fiber.join(call), { reason: { _tag: "Overrun" }, sent: true })
      assert.deepStrictEqual(yield* Effect.forEach(notes, Fiber.join), [null, null, null, null, null])
      assert.strictEqual(session.running(), 0)
    }))

  it.effect("promise 20: a notification is never answered, and a member cancelled without reply is left out", () =>
    Effect.gen(function*() {
      const dialect = Dialect.make({ name: "x", cancellation: Dialect.cancelledNotification([]) })
      const session = yield* open({ echo, hang, crash: () => Effect.die("no") }, { dialect })
      for (const method of ["echo", "none"]) {
        assert.isTrue(Option.isNone(yield* session.answer(notification(method), makeLane().lane)))
      }
      assert.isTrue(Option.isNone(yield* session.answer(`[${notification("echo")},${notification("none")}]`)))
      const both = yield* asking(session, `[${request(1, "hang")},${request(2, "echo", [2])}]`)
      const alone = yield* asking(session, request(3, "hang"))
      yield* session.answer(notification("notifications/cancelled", { requestId: 1 }))
      assert.deepStrictEqual(yield* Fiber.join(both), [result(2, [2])])
      yield* session.answer(notification("notifications/cancelled", { requestId: 3 }))
      assert.strictEqual(yield* Fiber.join(alone), null)
    }))
})
