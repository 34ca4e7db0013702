/** Two peers that did nothing wrong waited for each other for ever, lost a wake-up, or refused each other's calls. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Peer } from "../../src/index.ts"
import { connect, notification, pair, routerOf, settle } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** How calls end that are made at once, and how often. */
const calling = (peer: Peer.Peer, count: number, method: string, params: ReadonlyArray<string> = []) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: count }),
      () => Effect.match(peer.request(method, params), { onSuccess: () => "ok", onFailure: (error) => error.message }),
      { concurrency: "unbounded" }
    ),
    (outcomes) => Object.fromEntries(Object.entries(Object.groupBy(outcomes, String)).map(([k, v]) => [k, v?.length]))
  )

/** Calls each way; their handlers wait for the gate, which opens when nothing else goes on. */
const both = (peers: ReadonlyArray<Peer.Peer>, gate: Deferred.Deferred<void>, calls: typeof calling, count: number) =>
  Effect.gen(function*() {
    const flood = yield* started(Effect.forEach(peers, (peer) => calls(peer, count, "get", [text]), { concurrency: 2 }))
    yield* settle
    yield* Deferred.succeed(gate, undefined)
    yield* settle
    // No time has passed: whatever still waits would wait until its timeout.
    assert.isDefined(flood.pollUnsafe(), "the calls still wait")
    return yield* Fiber.join(flood)
  })

const text = "x".repeat(10_000)

describe("two honest peers", () => {
  it.effect("promise 18: callers suspend on a full outbox, and replies that come together block nobody", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const get = (call: { readonly params: unknown }) => Effect.as(Deferred.await(gate), call.params as never)
      const peers = yield* pair({ get }, { limits: { outbox: 40_000 } })
      assert.deepStrictEqual(yield* both(peers, gate, calling, 300), [{ ok: 300 }, { ok: 300 }])
    }))

  it.effect("promise 18: callers suspend on a full outbox, and reading goes on when the last reply is written", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const large = "x".repeat(1024 * 1024)
      const router = yield* routerOf({ get: () => Effect.as(Deferred.await(gate), large) })
      const transports = yield* MemoryTransport.makePair({ capacity: 1e9 })
      const peers = yield* Effect.forEach(transports, (transport) => Peer.make(transport, { router }))
      assert.deepStrictEqual(yield* both(peers, gate, calling, 100), [{ ok: 100 }, { ok: 100 }])
    }))

  it.effect("promise 18: callers suspend on a full outbox, also handlers of notifications that notify", () =>
    Effect.gen(function*() {
      let pongs = 0
      const page = "x".repeat(1_000)
      const peers = yield* pair({
        ping: (call) => Effect.orDie(call.peer.notify("pong", [page])),
        pong: () => Effect.sync(() => void pongs++)
      }, { limits: { outbox: 20_000, inbox: 10, batch: 10, inboxBytes: 20_000 } })
      const flood = yield* started(Effect.forEach(
        peers,
        (peer) => Effect.forEach(Array.from({ length: 500 }), () => peer.notify("ping", [page]), { discard: true }),
        { concurrency: 2 }
      ))
      yield* settle
      assert.isDefined(flood.pollUnsafe(), "notifications still wait")
      assert.strictEqual(pongs, 1_000)
    }))

  it.effect("promise 17: calls beyond the in-flight limit wait in a bounded inbox, and 5,000 at once are all answered", () =>
    Effect.gen(function*() {
      const router = yield* routerOf({ get: () => Effect.as(Effect.sleep(20), 1) })
      const [left, right] = yield* MemoryTransport.makePair()
      yield* Peer.make(left, { router })
      const peer = yield* Peer.make(right)
      const calls = yield* started(calling(peer, 5_000, "get"))
      // 1,024 of them run at a time.
      for (let turn = 0; turn < 5; turn++) yield* Effect.andThen(settle, TestClock.adjust(20))
      yield* settle
      assert.deepStrictEqual(yield* Fiber.join(calls), { ok: 5_000 })
    }))

  for (const poll of [false, true]) {
    const title = poll ? "and neither while a call is answered later" : "and end no connection"
    it.effect(`promise 17: calls beyond the in-flight limit wait in a bounded inbox: notifications, too, ${title}`, () =>
      Effect.gen(function*() {
        let handled = 0
        const peers = yield* pair({
          note: () => Effect.andThen(Effect.sleep(5), Effect.sync(() => void handled++)),
          poll: () => Effect.never
        }, { limits: { inFlight: 4, inbox: 4, batch: 4, outbox: 400, inboxBytes: 400, budget: 60_000 } })
        if (poll) yield* Effect.forEach(peers, (peer) => started(peer.request("poll", [], { timeout: "1 hour" })))
        const notes = Array.from({ length: 300 }, () => "x".repeat(100))
        const flood = yield* started(Effect.forEach(
          peers,
          (peer) => Effect.forEach(notes, (note) => peer.notify("note", [note]), { discard: true }),
          { concurrency: 2 }
        ))
        for (let turn = 0; turn < 400; turn++) yield* Effect.andThen(settle, TestClock.adjust(5))
        assert.deepStrictEqual(flood.pollUnsafe(), Exit.succeed([undefined, undefined]))
        assert.strictEqual(handled, 600)
      }))
  }

  it.effect("promise 12: the receive loop waits for nothing but the transport, and calls back however full both sides are", () =>
    Effect.gen(function*() {
      const back = (call: Parameters<Parameters<typeof routerOf>[0][string]>[0]) => {
        const [depth] = call.params as readonly [number]
        const asked = depth === 0 ? Effect.succeed(0) : Effect.orDie(call.peer.request("back", [depth - 1]))
        return Effect.andThen(Effect.yieldNow, Effect.tap(asked, () => Effect.yieldNow))
      }
      const peers = yield* pair({ back }, {
        limits: { inFlight: 2, inbox: 3, batch: 3, window: 5, outbox: 200, inboxBytes: 300 }
      })
      const calls = yield* started(Effect.forEach(
        peers,
        (peer) =>
          Effect.forEach(Array.from({ length: 50 }), () => peer.request("back", [4]), { concurrency: "unbounded" }),
        { concurrency: 2 }
      ))
      yield* settle
      assert.isDefined(calls.pollUnsafe(), "the calls still wait")
      assert.deepStrictEqual((yield* Fiber.join(calls)).flat(), Array.from({ length: 100 }, () => 0))
    }))
})

describe("calls of ours that wait for the window", () => {
  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, nor is written when others are interrupted", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { limits: { window: 2 } })
      const calls = yield* Effect.forEach(Array.from({ length: 20 }), () => started(peer.request("m")))
      yield* settle
      yield* Fiber.interruptAll(calls)
      yield* settle
      const written = wire.received.filter((text) => Object(text).method === "m")
      assert.strictEqual(written.length, 2)
    }))
})

describe("a reader", () => {
  it.effect("promise 12: the receive loop waits for nothing but the transport, and lets others go on in the middle of a chunk", () =>
    Effect.gen(function*() {
      let taken = 0
      const { wire } = yield* connect({ note: () => Effect.sync(() => void taken++) })
      const turns: Array<number> = []
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sync(() => turns.push(taken)), Effect.yieldNow)))
      yield* wire.transport.send([notification("note"), ...Array.from({ length: 5_000 }, () => notification("note"))])
      while (taken <= 5_000) yield* Effect.yieldNow
      assert.isTrue(turns.some((count) => count > 0 && count < 5_000), "others had no turn")
    }))
})
