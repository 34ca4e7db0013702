/** A full inbox kept the cancellation that would have emptied it from being read, and its bounds did not hold. */
import { assert, describe, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { connect, failure, notification, request, settle, success } from "../wire.ts"

const ids = (received: ReadonlyArray<unknown>) => received.map((message) => Object(message).id)

describe("a full inbox", () => {
  it.effect("promise 12: the receive loop waits for nothing but the transport: a cancel is read though the inbox is full", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({
        hang: () => Effect.never,
        echo: (call) => Effect.succeed(call.params ?? null)
      }, { limits: { inFlight: 1, inbox: 2, batch: 2 } })
      yield* wire.send(request(1, "hang"), request(2, "echo", [2]), request(3, "echo", [3]))
      yield* settle
      yield* wire.send(notification("$/cancelRequest", { id: 1 }))
      yield* settle
      assert.deepStrictEqual(wire.received, [
        failure(1, -32800, "Request cancelled"),
        { jsonrpc: "2.0", id: 2, result: [2] },
        { jsonrpc: "2.0", id: 3, result: [3] }
      ])
    }))

  for (const inOneChunk of [true, false]) {
    const where = inOneChunk ? "in its chunk" : "in a later one"
    it.effect(`promise 12: the receive loop waits for nothing but the transport: a cancel is read behind what has no room, ${where}`, () =>
      Effect.gen(function*() {
        const { wire } = yield* connect({ hang: () => Effect.never }, { limits: { inFlight: 1, inbox: 2, batch: 2 } })
        const texts = [request(1, "hang"), ...Array.from({ length: 5 }, () => notification("hang"))] as const
        const cancel = notification("$/cancelRequest", { id: 1 })
        if (inOneChunk) yield* Effect.orDie(wire.transport.send([...texts, cancel]))
        else yield* wire.send(...texts, cancel)
        yield* settle
        assert.deepStrictEqual(wire.received, [failure(1, -32800, "Request cancelled")])
      }))
  }

  it.effect("promise 16: ids start at 1 and are never reused; of two equal ones a cancel ends the one that runs", () =>
    Effect.gen(function*() {
      const ended: Array<unknown> = []
      const { wire } = yield* connect({
        hang: (call) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void ended.push(call.params)))
      }, { limits: { inFlight: 1 } })
      yield* wire.send(request(1, "hang", ["runs"]), request(1, "hang", ["waits"]))
      yield* settle
      yield* wire.send(notification("$/cancelRequest", { id: 1 }))
      yield* settle
      assert.deepStrictEqual(ended, [["runs"]])
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox: a legal batch is no overrun", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ note: () => Effect.never }, {
        limits: { inbox: 10, batch: 10 }
      })
      yield* wire.send(...Array.from({ length: 6 }, () => notification("note")))
      yield* wire.send(`[${Array.from({ length: 10 }, () => notification("note")).join(",")}]`)
      yield* settle
      assert.isTrue(yield* peer.connected)
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, though those that run have called back", () =>
    Effect.gen(function*() {
      let running = 0
      const { wire } = yield* connect({
        ask: (call) =>
          Effect.andThen(
            Effect.orDie(call.peer.request("question")),
            Effect.suspend(() => {
              running++
              return Effect.never
            })
          )
      }, { limits: { inFlight: 4, inbox: 10, batch: 10, budget: 30_000 } })
      for (let id = 1; id <= 100; id++) {
        yield* wire.send(request(id, "ask"))
        yield* settle
        yield* wire.send(success(id, "answer"))
      }
      yield* settle
      // Each has given its place back, and weighs at least 2,560.
      assert.isAbove(running, 4)
      assert.isAtMost(running, 12)
    }))

  it.effect("promise 19: end of input drains, and is noticed while nothing is read", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ hang: () => Effect.never }, {
        limits: { inFlight: 1, inbox: 2, batch: 2 }
      })
      yield* wire.send(request(1, "hang"), request(2, "hang"), request(3, "hang"), notification("note"))
      yield* settle
      yield* wire.transport.close
      for (let hour = 0; hour < 24; hour++) yield* Effect.andThen(TestClock.adjust("1 hour"), settle)
      assert.strictEqual(yield* peer.state, "closed")
    }))
})

describe("the budget of a listener counts", () => {
  it.effect("requests that run, until they end", () =>
    Effect.gen(function*() {
      const budget = Budget.make(100_000)
      yield* Effect.gen(function*() {
        let running = 0
        const { wire } = yield* connect({ hang: () => Effect.suspend(() => (running++, Effect.never)) })
        for (let id = 0; id < 100; id++) yield* wire.send(request(id, "hang", ["x".repeat(1000)]))
        yield* settle
        assert.isFalse(budget.fits(5_000), `${running} requests of 1 KB run, and ${budget.taken()} bytes are taken`)
        assert.isBelow(running, 30)
      }).pipe(Effect.scoped, Effect.provideService(Budget.Budget, budget))
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect("replies that wait for the rest of their batch, until it is written", () =>
    Effect.gen(function*() {
      const budget = Budget.make(10_000)
      yield* Effect.gen(function*() {
        const { wire } = yield* connect({
          hang: () => Effect.never,
          big: () => Effect.succeed("y".repeat(100_000))
        })
        yield* wire.send(`[${request(1, "hang")},${request(2, "big")}]`)
        yield* settle
        assert.isTrue(budget.isSpent(), `100 KB wait for request 1, and ${budget.taken()} bytes are taken`)
        yield* wire.send(notification("$/cancelRequest", { id: 1 }), request(3, "big"))
        yield* settle
        assert.deepStrictEqual(ids(wire.received.flat()), [1, 2, 3])
        assert.isFalse(budget.isSpent())
      }).pipe(Effect.scoped, Effect.provideService(Budget.Budget, budget))
      assert.strictEqual(budget.taken(), 0)
    }))
})
