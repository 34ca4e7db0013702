/** What gives a place back, and who may go next: mistakes in it went unseen. */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import { Budget } from "@parley/transport/shared"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Peer } from "../../src/index.ts"
import { connect, notification, request, settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const ids = (received: ReadonlyArray<unknown>) => received.map((message) => Object(message).id)

const methods = (texts: ReadonlyArray<string>) => texts.map((text) => JSON.parse(text).method)

describe("a notification", () => {
  /** Handlers that run until they are told to end, in order. */
  const gated = () => {
    const gates: Array<Deferred.Deferred<void>> = []
    const wait = Effect.suspend(() => {
      const gate = Deferred.makeUnsafe<void>()
      gates.push(gate)
      return Deferred.await(gate)
    })
    const open = Effect.suspend(() => Effect.andThen(Deferred.succeed(gates.shift()!, undefined), settle))
    return { wait, open }
  }

  /** The next notification holds back the request behind it, and no longer. */
  const holdsBack = (wire: Effect.Success<ReturnType<typeof connect>>["wire"], open: Effect.Effect<void>) =>
    Effect.gen(function*() {
      const before = wire.received.length
      yield* wire.send(notification("wait"), request(99, "echo", []))
      yield* settle
      assert.strictEqual(wire.received.length, before)
      yield* open
      assert.deepStrictEqual(ids(wire.received.slice(before)), [99])
    })

  it.effect("promise 13: notifications keep their order, after one that called back has given its place back once", () =>
    Effect.gen(function*() {
      const { open, wait } = gated()
      const { wire } = yield* connect({
        ask: (call) => Effect.andThen(Effect.orDie(call.peer.request("question")), wait),
        wait: () => wait,
        echo: (call) => Effect.succeed(call.params ?? null)
      })
      yield* wire.send(notification("ask"), request(1, "echo", []))
      assert.deepStrictEqual(ids(yield* wire.take(2)), [1, 1])
      yield* wire.send(success(1, "answer"))
      yield* settle
      yield* open
      yield* holdsBack(wire, open)
      yield* holdsBack(wire, open)
    }))

  it.effect("promise 13: notifications keep their order, after one that took too long has given its place back once", () =>
    Effect.gen(function*() {
      const { open, wait } = gated()
      const { wire } = yield* connect({ wait: () => wait, echo: (call) => Effect.succeed(call.params ?? null) })
      yield* wire.send(notification("wait"), request(1, "echo", []))
      yield* TestClock.adjust("30010 millis")
      assert.deepStrictEqual(ids(wire.received), [1])
      yield* open
      yield* holdsBack(wire, open)
      yield* holdsBack(wire, open)
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, as many as before after one that called back", () =>
    Effect.gen(function*() {
      const { open, wait } = gated()
      let running = 0
      const { wire } = yield* connect({
        ask: (call) => Effect.as(Effect.orDie(call.peer.request("question")), null),
        wait: () => Effect.ensuring(Effect.suspend(() => (running++, wait)), Effect.sync(() => void running--))
      }, { limits: { inFlight: 2 } })
      yield* wire.send(request(1, "ask"), request(2, "ask"))
      yield* wire.take(2)
      yield* wire.send(success(1, 1), success(2, 2))
      yield* settle
      yield* wire.send(...[3, 4, 5, 6].map((id) => request(id, "wait")))
      yield* settle
      assert.strictEqual(running, 2)
      yield* open
      assert.strictEqual(running, 2)
      for (let times = 0; times < 3; times++) yield* open
      assert.deepStrictEqual(ids(wire.received.slice(4)), [3, 4, 5, 6])
    }))

  it.effect("promise 13: notifications keep their order, and none overtakes a request that waits for a place", () =>
    Effect.gen(function*() {
      const order: Array<unknown> = []
      const { wire } = yield* connect({
        hang: () => Effect.never,
        log: (call) => Effect.sync(() => void order.push(call.params))
      }, { limits: { inFlight: 1 } })
      yield* wire.send(request(1, "hang"), request(2, "log", [1]), notification("log", [2]), request(3, "log", [3]))
      yield* settle
      assert.deepStrictEqual(order, [])
      yield* wire.send(notification("$/cancelRequest", { id: 1 }))
      yield* settle
      assert.deepStrictEqual(order, [[1], [2], [3]])
    }))
})

describe("a request that waits for its turn", () => {
  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, on the side that hears of it, without a reply", () =>
    Effect.gen(function*() {
      const budget = Budget.make(1_000_000)
      yield* Effect.gen(function*() {
        const dialect = Dialect.make({ name: "test", cancellation: Dialect.cancelledNotification([]) })
        const ran: Array<unknown> = []
        const gate = yield* Deferred.make<void>()
        const { peer, wire } = yield* connect({
          wait: () => Deferred.await(gate),
          log: (call) => Effect.sync(() => void ran.push(call.id))
        }, { dialect, limits: { inFlight: 1, drain: 10_000 } })
        yield* wire.send(request(1, "wait"), request(2, "log"), request(3, "log"))
        yield* wire.send(notification("notifications/cancelled", { requestId: 2 }))
        yield* settle
        yield* Deferred.succeed(gate, undefined)
        yield* settle
        assert.deepStrictEqual(ran, [3])
        assert.deepStrictEqual(ids(wire.received), [1, 3])
        assert.strictEqual(budget.taken(), 0)
        // It is not waited for: the connection ends at once.
        yield* wire.transport.close
        yield* settle
        assert.strictEqual(yield* peer.state, "closed")
      }).pipe(Effect.scoped, Effect.provideService(Budget.Budget, budget))
    }))

  it.effect("promise 19: end of input drains, and waits for the reply to a batch of which a request was cancelled", () =>
    Effect.gen(function*() {
      const dialect = Dialect.make({ name: "test", cancellation: Dialect.cancelledNotification([]) })
      const { wire } = yield* connect({
        hang: () => Effect.never,
        echo: (call) => Effect.succeed(call.params ?? null)
      }, { dialect, limits: { inFlight: 1 } })
      yield* wire.send(request(1, "hang"), `[${request(2, "echo", [2])},${request(3, "echo", [3])}]`)
      yield* wire.send(notification("notifications/cancelled", { requestId: 2 }))
      yield* wire.send(notification("notifications/cancelled", { requestId: 1 }))
      yield* settle
      assert.deepStrictEqual(wire.received, [[{ jsonrpc: "2.0", id: 3, result: [3] }]])
    }))
})

/** A peer over a transport that takes each write when it is told to. */
const stepping = (limits: Peer.PeerOptions["limits"]) =>
  Effect.gen(function*() {
    const writes: Array<ReadonlyArray<string>> = []
    let resume = () => {}
    const peer = yield* Peer.make({
      receive: Effect.never,
      send: (texts) =>
        Effect.callback((done) => {
          writes.push(texts)
          resume = () => done(Effect.void)
        }),
      close: Effect.void
    }, { limits: { drain: 0, ...limits } })
    return { peer, writes, done: Effect.andThen(Effect.sync(() => resume()), settle) }
  })

const text = "x".repeat(1_000)

describe("a call that waits for room", () => {
  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, nor does an interrupted notification", () =>
    Effect.gen(function*() {
      const { done, peer, writes } = yield* stepping({ outbox: 1_000 })
      yield* peer.notify("first", [text])
      const parked = yield* Effect.forEach(["second", "third"], (method) => started(peer.notify(method)))
      const batch = yield* started(peer.batch([{ method: "batch", notification: true }]))
      const call = yield* started(peer.request("call"))
      yield* settle
      for (const fiber of [...parked, batch, call]) assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.interrupt(parked[0] as Fiber.Fiber<unknown>)
      yield* Fiber.interrupt(batch)
      yield* Fiber.interrupt(call)
      yield* done
      yield* Fiber.join(parked[1] as Fiber.Fiber<void>)
      yield* done
      assert.deepStrictEqual(methods(writes.flat()), ["first", "third"])
    }))

  it.effect("promise 18: callers suspend on a full outbox, and one write lets in as many as it has room for", () =>
    Effect.gen(function*() {
      const { done, peer, writes } = yield* stepping({ outbox: 2_000 })
      const methodsOf = () => writes.map((texts) => texts.length)
      yield* peer.notify("first", [text])
      yield* settle
      const accepted: Array<number> = []
      const parked = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6, 7],
        (number) => started(Effect.tap(peer.notify("n", [text]), () => Effect.sync(() => accepted.push(number))))
      )
      yield* settle
      assert.deepStrictEqual([methodsOf(), accepted], [[1], [1]])
      yield* done
      assert.deepStrictEqual([methodsOf(), accepted], [[1, 2], [1, 2]])
      yield* done
      assert.deepStrictEqual([methodsOf(), accepted], [[1, 2, 2], [1, 2, 3, 4]])
      for (let times = 0; times < 6; times++) yield* done
      yield* Effect.forEach(parked, Fiber.join)
      assert.deepStrictEqual(accepted, [1, 2, 3, 4, 5, 6, 7])
    }))
})

describe("a write", () => {
  it.effect("has about 64 KiB at most, however much has gathered, and keeps the order", () =>
    Effect.gen(function*() {
      const { done, peer, writes } = yield* stepping({})
      const KiB = 1024
      const large = "x".repeat(6_000)
      yield* peer.notify("n", [0])
      yield* settle
      for (let number = 1; number <= 35; number++) yield* peer.notify("n", [number, large])
      for (let times = 0; times < 10; times++) yield* done
      const sizes = writes.map((texts) => texts.reduce((size, text) => size + text.length, 0))
      assert.deepStrictEqual(
        writes.flat().map((text) => JSON.parse(text).params[0]),
        Array.from({ length: 36 }, (_, n) => n)
      )
      assert.strictEqual(writes.length, 5)
      for (const size of sizes) assert.isBelow(size, 64 * KiB + 6_100)
      for (const size of sizes.slice(1, -1)) assert.isAbove(size, 64 * KiB)
    }))
})
