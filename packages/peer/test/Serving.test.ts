/** Promises 12 to 17 and 20: what the other side can rely on when it calls. */
import { assert, describe, it } from "@effect/vitest"
import { Concurrency, Metrics } from "@parley/middleware"
import { Deferred, Duration, Effect, Fiber, Logger, Metric, Queue, Schema } from "effect"
import { TestClock } from "effect/testing"
import { ErrorResponse, Handler, type Router } from "../src/index.ts"
import { connect, failure, notification, pair, request, settle, success } from "./wire.ts"

const echo: Handler.Handler = (call) => Effect.succeed(call.params ?? null)

/** Calls the other side back, so often as its parameter says. */
const nest: Handler.Handler = Handler.withParams(
  Schema.Tuple([Schema.Int]),
  ([depth], call) => depth === 0 ? Effect.succeed("bottom") : Effect.orDie(call.peer.request("nest", [depth - 1]))
)

describe("the other side can rely on", () => {
  it.effect("promise 12: the receive loop waits for nothing but the transport: callbacks to any depth and load", () =>
    Effect.gen(function*() {
      const [left] = yield* pair({ nest }, { limits: { inFlight: 4 } })
      const calls = Array.from({ length: 64 }, () => left.request("nest", [12]))
      const results = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepStrictEqual(results, calls.map(() => "bottom"))
    }))

  it.effect("promise 12: the receive loop waits for nothing but the transport: a notification may call back", () =>
    Effect.gen(function*() {
      const done = yield* Deferred.make<unknown>()
      const [left] = yield* pair({
        nest,
        note: (call) =>
          Effect.asVoid(
            Effect.flatMap(Effect.orDie(call.peer.request("nest", [5])), (result) => Deferred.succeed(done, result))
          )
      })
      yield* left.notify("note")
      assert.strictEqual(yield* Deferred.await(done), "bottom")
    }))

  it.effect("promise 12: the receive loop waits for nothing but the transport: a limited handler may call back", () =>
    Effect.gen(function*() {
      const [left] = yield* pair({ nest: Concurrency.handler(1)(nest) })
      assert.strictEqual(yield* left.request("nest", [9]), "bottom")
    }))

  it.effect("promise 13: notifications keep their order, and a request sees those before it", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const { wire } = yield* connect({
        note: (call) => Effect.andThen(Effect.sleep(10), Effect.sync(() => void seen.push(call.params))),
        see: () => Effect.sync(() => [...seen] as ReadonlyArray<Schema.Json>)
      })
      yield* wire.send(
        notification("note", [1]),
        notification("note", [2]),
        request(1, "see"),
        notification("note", [3])
      )
      yield* settle
      assert.deepStrictEqual(seen, [])
      for (let turn = 0; turn < 3; turn++) yield* Effect.andThen(TestClock.adjust(10), settle)
      assert.deepStrictEqual(wire.received, [{ jsonrpc: "2.0", id: 1, result: [[1], [2]] }])
      assert.deepStrictEqual(seen, [[1], [2], [3]])
    }))

  it.effect("promise 13: notifications keep their order until a handler waits for the peer, or takes too long", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        asks: (call) => Effect.orDie(call.peer.request("question")),
        hangs: () => Effect.never,
        echo
      }, { timeout: "1 hour" })
      yield* wire.send(notification("asks"), request(1, "echo", [1]))
      assert.deepInclude(yield* wire.take(2), { jsonrpc: "2.0", id: 1, result: [1] })
      yield* wire.send(notification("hangs"), request(2, "echo", [2]))
      yield* settle
      assert.strictEqual(wire.received.length, 2)
      yield* TestClock.adjust("30010 millis")
      assert.deepInclude(yield* wire.take(3), { jsonrpc: "2.0", id: 2, result: [2] })
    }))

  it.effect("promise 14: one bad message costs one error reply, a hundred in a row the connection", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ echo })
      const bad = Array.from({ length: 99 }, () => "{")
      yield* wire.send(...bad, request(1, "echo", [1]), ...bad)
      yield* wire.take(199)
      assert.isTrue(yield* peer.connected)
      assert.deepStrictEqual(wire.received[0], failure(null, -32700, "Parse error"))
      assert.deepStrictEqual(wire.received[99], { jsonrpc: "2.0", id: 1, result: [1] })
      yield* wire.send("{")
      assert.deepInclude(yield* peer.disconnected, { _tag: "BadFrames" })
      assert.strictEqual((yield* wire.take(200)).length, 200)
    }))

  it.effect("promise 15: a defect answers -32603 without data, and its cause goes to our log only", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const logger = Logger.make((entry) => void lines.push(JSON.stringify(entry.message)))
      yield* Effect.gen(function*() {
        const { wire } = yield* connect({
          crash: () => Effect.die(new Error("secret")),
          throws: () => {
            throw new Error("secret")
          },
          later: () => Effect.andThen(Effect.yieldNow, Effect.die("secret")),
          cyclic: () => {
            const cycle: Record<string, Schema.Json> = {}
            cycle["self"] = cycle
            return Effect.succeed(cycle)
          },
          hides: () => Effect.fail(ErrorResponse.fromObject({ code: 7, message: "shown" }, new Error("secret")))
        })
        yield* wire.send(...["crash", "throws", "later", "cyclic", "hides"].map((method) => request(method, method)))
        const replies = yield* wire.take(5)
        for (const id of ["crash", "throws", "later", "cyclic"]) {
          assert.deepInclude(replies, failure(id, -32603, "Internal error"))
        }
        assert.deepInclude(replies, failure("hides", 7, "shown"))
        yield* settle
      }).pipe(Effect.provide(Logger.layer([logger])))
      assert.strictEqual(lines.length, 5)
    }))

  it.effect("promise 17: beyond the limit of handlers that have parked, requests are refused, and the reading goes on", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        ask: ({ peer }) => Effect.orDie(peer.request("answer")),
        ping: () => Effect.succeed("pong")
      }, { limits: { inFlight: 2, parked: 3 } })
      yield* wire.send(...[1, 2, 3, 4].map((id) => request(id, "ask")), request(5, "ping"))
      yield* settle
      const asked = wire.received.filter((text) => Object(text).method === "answer")
      assert.deepStrictEqual(asked.map((text) => Object(text).id), [1, 2, 3])
      assert.deepStrictEqual(wire.received.slice(3), [
        failure(4, -32000, "Overloaded"),
        failure(5, -32000, "Overloaded")
      ])
      // One that has ended makes room.
      yield* wire.send(success(2, "b"), request(6, "ping"))
      yield* settle
      assert.deepStrictEqual(
        wire.received.slice(5),
        [success(2, "b"), success(6, "pong")].map((text) => JSON.parse(text))
      )
    }))

  it.effect("promise 17: beyond the limit the reading stops, and a peer says what waits, and for what", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ hang: () => Effect.never }, {
        limits: { inFlight: 1, inbox: 1, batch: 1, window: 1 },
        timeout: Duration.infinity
      })
      const none = { reading: undefined, starting: undefined, writing: undefined }
      assert.deepStrictEqual(yield* peer.waits, none)
      yield* wire.send(request(1, "hang"), request(2, "hang"), request(3, "hang"))
      yield* settle
      assert.deepStrictEqual(yield* peer.waits, { ...none, reading: "inbox", starting: "inFlight" })
      const calls = yield* Effect.forEach(
        ["a", "b"],
        (method) => Effect.forkChild(peer.request(method), { startImmediately: true })
      )
      yield* Effect.forkChild(Metrics.waits(peer), { startImmediately: true })
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* peer.waits, { ...none, starting: "inFlight", writing: "window" })
      const seconds = (yield* Metric.snapshot).map((
        { attributes, state }
      ) => [attributes?.["parley.for"], Object(state).count])
      assert.deepStrictEqual(Object.fromEntries(seconds), { inFlight: 3, window: 3 })
      yield* Fiber.interruptAll(calls)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

  it.effect("promise 16: ids start at 1 and are never reused", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const call = yield* Effect.forkChild(Effect.ignore(peer.request("a")), { startImmediately: true })
      yield* settle
      yield* Fiber.interrupt(call)
      yield* Effect.forkChild(Effect.ignore(peer.batch([{ method: "b" }, { method: "c" }])))
      yield* Effect.forkChild(Effect.ignore(peer.request("d")))
      yield* settle
      assert.deepStrictEqual(
        wire.received.flat().flatMap((message) => Object.hasOwn(Object(message), "id") ? [Object(message).id] : []),
        [1, 2, 3, 4]
      )
    }))

  it.effect("promise 16: ids start at 1 and are never reused; two equal ones run, and a cancel ends the older", () =>
    Effect.gen(function*() {
      const started: Array<string> = []
      const { wire } = yield* connect({
        hang: (call) =>
          Effect.onInterrupt(Effect.never, () => Effect.sync(() => void started.push(JSON.stringify(call.params)))),
        echo
      }, { limits: { inFlight: 2, batch: 10 } })
      const cancel = notification("$/cancelRequest", { id: 1 })
      const cancelled = failure(1, -32800, "Request cancelled")
      yield* wire.send(request(1, "hang", ["older"]), request(1, "hang", ["newer"]), request(1, "echo", ["queued"]))
      yield* settle
      // The text of an id is what counts: this is another one.
      yield* wire.send(notification("$/cancelRequest", { id: "1" }))
      yield* settle
      assert.deepStrictEqual(started, [])
      yield* wire.send(cancel)
      assert.deepStrictEqual(yield* wire.take(2), [cancelled, { jsonrpc: "2.0", id: 1, result: ["queued"] }])
      assert.deepStrictEqual(started, [`["older"]`])
      // One chunk: both fill what is in flight, the last is taken out of the inbox.
      yield* wire.transport.send([
        request(2, "hang", []),
        request(3, "echo", []),
        notification("$/cancelRequest", { id: 3 })
      ])
        .pipe(Effect.orDie)
      assert.deepStrictEqual((yield* wire.take(3))[2], failure(3, -32800, "Request cancelled"))
      yield* wire.send(cancel)
      assert.deepStrictEqual((yield* wire.take(4))[3], cancelled)
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and beyond that they wait unread", () =>
    Effect.gen(function*() {
      const gate = yield* Queue.unbounded<string>()
      const { wire } = yield* connect({ wait: () => Queue.take(gate) }, { limits: { inFlight: 2, inbox: 3, batch: 3 } })
      yield* wire.send(...Array.from({ length: 7 }, (_, index) => request(index, "wait")))
      yield* settle
      assert.deepStrictEqual(wire.received, [])
      yield* Queue.offerAll(gate, ["a", "b", "c", "d", "e", "f", "g"])
      const served = (yield* wire.take(7)).map((reply) => Object(reply).id)
      assert.sameMembers(served, [0, 1, 2, 3, 4, 5, 6])
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and beyond the budget are refused while a call of ours waits", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ wait: () => Effect.never }, {
        limits: { inFlight: 2, inbox: 3, batch: 3, budget: 20_000 }
      })
      const call = yield* Effect.forkChild(peer.request("m"), { startImmediately: true })
      yield* wire.take(1)
      // Each call that is kept weighs 2,560, and 20 for each character of a short text.
      yield* wire.send(...Array.from({ length: 9 }, (_, index) => request(index, "wait")), success(1, "behind them"))
      assert.strictEqual(yield* Fiber.join(call), "behind them")
      const refused = [6, 7, 8].map((id) => failure(id, -32000, "Overloaded"))
      assert.deepStrictEqual((yield* wire.take(4)).slice(1), refused)
    }))

  const stuck: Router.Handlers = { note: () => Effect.never, echo }
  const small = { limits: { inbox: 3, batch: 3 } }
  const notes = Array.from({ length: 4 }, () => notification("note"))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox: full of notifications it stops reading", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect(stuck, small)
      yield* wire.send(...notes, notification("note"), request(9, "echo", []))
      yield* settle
      assert.deepStrictEqual(wire.received, [])
      assert.isTrue(yield* peer.connected)
      // Each of the five handlers holds back what comes after it for 30 seconds.
      for (let note = 1; note < 5; note++) yield* Effect.andThen(TestClock.adjust("30010 millis"), settle)
      assert.deepStrictEqual(wire.received, [])
      yield* TestClock.adjust("30010 millis")
      assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: 9, result: [] }])
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, which keeps no call of ours waiting", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect(stuck, small)
      const call = yield* Effect.forkChild(peer.request("m"), { startImmediately: true })
      yield* wire.take(1)
      yield* wire.send(...notes, notification("note"), success(1, "read behind them"))
      assert.strictEqual(yield* Fiber.join(call), "read behind them")
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox: what exceeds the budget ends it", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect(stuck, { limits: { ...small.limits, budget: 20_000, notification: 10 } })
      const call = yield* Effect.forkChild(Effect.flip(peer.request("m")), { startImmediately: true })
      yield* wire.take(1)
      yield* Effect.forkChild(Effect.ignore(wire.transport.send([notification("note"), ...notes, ...notes])))
      yield* settle
      assert.isTrue(yield* peer.connected)
      // While a handler holds up the others, what has no room waits; then nothing will make room.
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", reason: { _tag: "Overrun" } } as const)
    }))

  it.effect("promise 20: a notification is never answered, and what is left of a batch is one text", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        crash: () => Effect.die("no"),
        fail: () => Effect.fail(ErrorResponse.make(1, "no")),
        needs: Handler.withParams(Schema.Tuple([Schema.Int]), ([n]) => Effect.succeed(n)),
        hang: () => Effect.never,
        echo
      })
      yield* wire.send(
        notification("crash"),
        notification("fail"),
        notification("needs", ["text"]),
        notification("unknown"),
        `[${notification("fail")},${notification("echo")}]`,
        `[${notification("echo")},${request(1, "echo", [1])},1,${success(5, 1)},${request(2, "echo", [2])}]`
      )
      yield* settle
      assert.deepStrictEqual(wire.received, [[
        { jsonrpc: "2.0", id: 1, result: [1] },
        failure(null, -32600, "Invalid Request"),
        { jsonrpc: "2.0", id: 2, result: [2] }
      ]])
    }))
})
