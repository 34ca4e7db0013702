/** Responses that wait for the handlers of the notifications before them, where a peer is asked for it. */
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@parley/protocol/Limits"
import * as Budget from "@parley/transport/host/Budget"
import { Context, Deferred, Duration, Effect, Exit, Fiber, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { TestClock } from "effect/testing"
import type { Peer, Router } from "../src/index.ts"
import { HeldResponses } from "../src/internal/incoming/HeldResponses.ts"
import { Host } from "../src/internal/runtime/Host.ts"
import { connect, failure, notification, request, settle, success } from "./wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** A peer whose responses wait, and whose notifications `slow` take until the gate opens. */
const ordered = (handlers: Router.Handlers = {}, options: Peer.Options = {}) =>
  Effect.gen(function*() {
    const seen: Array<unknown> = []
    const gate = yield* Deferred.make<void>()
    const see = (value: unknown) => Effect.sync(() => void seen.push(value))
    const connected = yield* connect({
      slow: ({ params }) => Effect.andThen(Deferred.await(gate), see(params)),
      quick: ({ params }) => see(params),
      ...handlers
    }, { responses: "afterNotifications", ...options })
    const call = (options?: { readonly timeout?: Duration.Input }) =>
      started(Effect.tap(connected.peer.request("m", undefined, options), see))
    return { ...connected, seen, see, gate, call, open: Deferred.succeed(gate, undefined) }
  })

describe("responses after notifications", () => {
  it.effect("promise 13: notifications keep their order, and a response waits for those before it", () =>
    Effect.gen(function*() {
      const { call, open, seen, wire } = yield* ordered()
      const calls = [yield* call(), yield* call()] as const
      yield* wire.send(
        notification("quick", [1]),
        success(1, "first"),
        notification("slow", [2]),
        notification("quick", [3]),
        success(2, "second"),
        notification("quick", [4])
      )
      yield* settle
      assert.deepStrictEqual(seen, [[1], "first"])
      yield* open
      yield* Effect.forEach(calls, Fiber.join)
      yield* settle
      assert.deepStrictEqual(seen, [[1], "first", [2], [3], "second", [4]])
    }))

  it.effect("promise 13: notifications keep their order, and by default no response waits for them", () =>
    Effect.gen(function*() {
      const { call, seen, wire } = yield* ordered({}, { responses: "atOnce" })
      yield* call()
      yield* wire.send(notification("slow", [1]), success(1, "first"))
      yield* settle
      assert.deepStrictEqual(seen, ["first"])
    }))

  for (const through of ["the peer of the call", "the peer itself"]) {
    it.effect(`promise 12: a handler may call the other side back, and then holds back no response: by ${through}`, () =>
      Effect.gen(function*() {
        const results: Array<unknown> = []
        const whole: Array<Peer.Peer> = []
        const { call, peer, wire } = yield* ordered({
          back: (call) => {
            const caller = through === "the peer itself" ? whole[0] ?? call.peer : call.peer
            return Effect.orDie(Effect.map(caller.request("back"), (result) => void results.push(result)))
          }
        })
        whole.push(peer)
        const waiting = yield* call()
        yield* wire.send(notification("back"), success(1, "mine"))
        assert.strictEqual(yield* Fiber.join(waiting), "mine")
        assert.deepStrictEqual(results, [])
        yield* wire.send(success(2, "theirs"))
        yield* settle
        assert.deepStrictEqual(results, ["theirs"])
      }))
  }

  it.effect("promise 7: a call ends exactly once, by its response, when its time runs out meanwhile", () =>
    Effect.gen(function*() {
      const { call, open, peer, seen, wire } = yield* ordered()
      const waiting = yield* call({ timeout: "2 seconds" })
      const late = yield* started(Effect.flip(peer.request("late", undefined, { timeout: "2 seconds" })))
      yield* wire.send(notification("slow", [1]), success(1, "in time"))
      yield* settle
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [])
      yield* TestClock.adjust("1010 millis")
      assert.strictEqual(yield* Fiber.join(waiting), "in time")
      assert.strictEqual((yield* Fiber.join(late))._tag, "RequestTimeout")
      yield* open
      yield* settle
      assert.deepStrictEqual(seen, ["in time", [1]])
    }))

  it.effect("promise 13: notifications hold a response back for `Limits.notification` at most", () =>
    Effect.gen(function*() {
      const { call, seen, wire } = yield* ordered({}, { limits: { notification: 1_000 }, timeout: Duration.infinity })
      yield* call()
      yield* wire.send(notification("slow", [1]), success(1, "first"))
      yield* settle
      yield* TestClock.adjust("1010 millis")
      yield* settle
      assert.deepStrictEqual(seen, ["first"])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, also while its response is held", () =>
    Effect.gen(function*() {
      const { call, open, peer, seen, wire } = yield* ordered()
      const interrupted = yield* call()
      const kept = yield* call()
      yield* wire.send(notification("slow", [1]), success(1, "given up"), success(2, "kept"))
      yield* settle
      yield* Fiber.interrupt(interrupted)
      yield* open
      assert.strictEqual(yield* Fiber.join(kept), "kept")
      assert.deepStrictEqual(seen, [[1], "kept"])
      assert.isTrue(yield* peer.connected)
    }))

  it.effect("a batch waits as a whole, and what its reply leaves out fails behind", () =>
    Effect.gen(function*() {
      const { open, peer, see, seen, wire } = yield* ordered()
      const batch = yield* started(Effect.tap(peer.batch([{ method: "a" }, { method: "b" }]), () => see("batch")))
      yield* wire.send(`[${notification("slow", [1])},${success(2, "b")},${request(9, "quick", [2])}]`)
      yield* settle
      assert.deepStrictEqual(seen, [])
      yield* open
      const [first, second] = yield* Fiber.join(batch)
      assert.strictEqual(first && Exit.isFailure(yield* Effect.exit(Effect.fromResult(first))), true)
      assert.strictEqual(second && (yield* Effect.fromResult(second)), "b")
      yield* settle
      assert.deepStrictEqual(seen, [[1], "batch", [2]])
      assert.deepStrictEqual(wire.received.slice(1), [[{ jsonrpc: "2.0", id: 9, result: null }]])
    }))

  it.effect("promise 19: end of input drains: a response that is held comes behind its notifications, others fail", () =>
    Effect.gen(function*() {
      const { call, open, peer, seen, wire } = yield* ordered({}, { limits: { drain: 10_000 } })
      const answered = yield* call()
      const unanswered = yield* started(Effect.flip(peer.request("unanswered")))
      yield* wire.send(notification("slow", [1]), success(1, "answered"))
      yield* settle
      yield* wire.transport.close
      assert.strictEqual((yield* Fiber.join(unanswered))._tag, "Disconnected")
      assert.isUndefined(answered.pollUnsafe())
      yield* open
      assert.strictEqual(yield* Fiber.join(answered), "answered")
      assert.deepStrictEqual(seen, [[1], "answered"])
      yield* peer.closed
    }))

  it.effect("promise 9: closing ends every waiting call, and a response that is held is given before", () =>
    Effect.gen(function*() {
      const { call, peer, wire } = yield* ordered()
      const waiting = yield* call()
      yield* wire.send(notification("slow", [1]), success(1, "answered"))
      yield* settle
      const shutdown = yield* started(peer.shutdown)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "answered")
      yield* Fiber.join(shutdown)
    }))

  it.effect("promise 17: beyond the limit the reading stops: a call whose response is held is no reason to read on", () =>
    Effect.gen(function*() {
      const { call, wire } = yield* ordered({}, { limits: { inbox: 2, batch: 1 } })
      yield* call()
      yield* wire.send(notification("slow", [0]), success(1, "held"))
      for (let count = 1; count < 8; count++) yield* wire.send(notification("quick", [count]))
      // It would be answered at once if it was read.
      yield* wire.send("{")
      yield* settle
      assert.strictEqual(wire.received.length, 1)
    }))

  it.effect("promise 17: calls beyond the window go out when the responses of others are held", () =>
    Effect.gen(function*() {
      const { call, wire } = yield* ordered({}, { limits: { window: 1 } })
      yield* call()
      yield* call()
      yield* settle
      assert.strictEqual(wire.received.length, 1)
      yield* wire.send(notification("slow", [0]), success(1, "held"))
      yield* settle
      assert.strictEqual(wire.received.length, 2)
    }))

  it.effect("promise 17: what is held counts on the budget, and where that is spent the connection ends", () =>
    Effect.gen(function*() {
      const { call, peer, seen, wire } = yield* ordered({}, { limits: { budget: 100_000 } })
      const answered = yield* call()
      const unanswered = yield* started(Effect.flip(peer.request("unanswered")))
      yield* wire.send(notification("slow", [1]), success(1, "answered"))
      yield* wire.send(...Array.from({ length: 40 }, () => success(9, null)))
      yield* settle
      assert.deepStrictEqual(seen, [])
      // The wire may be closed before the last of them.
      yield* Effect.exit(Effect.forEach(Array.from({ length: 80 }), () => wire.send(success(9, null))))
      const error = yield* Fiber.join(unanswered)
      assert.strictEqual(error._tag === "Disconnected" && error.reason._tag, "Overrun")
      assert.strictEqual(yield* Fiber.join(answered), "answered")
    }))

  it("promise 13: notifications keep their order, and what each of them lets go is found at once", () => {
    const limits = Limits.defaults
    const held = new HeldResponses(new Host(Context.empty(), limits, Budget.make(limits.budget)))
    const many = 2_000
    const settled: Array<number> = []
    let looks = 0
    const counted = (notification: number) =>
      ({
        valueOf: () => {
          looks++
          return notification
        }
        // A number that counts who compares it.
      }) as unknown as number
    for (let at = 1; at <= many; at++) held.hold(counted(at), 1, [], () => settled.push(at))
    for (let passed = 1; passed <= many; passed++) held.release(passed)
    assert.deepStrictEqual(settled, Array.from({ length: many }, (_, at) => at + 1))
    // Each of them, and the first that still waits.
    assert.isAtMost(looks, 2 * many)
  })

  it.effect("an error without an id waits, too", () =>
    Effect.gen(function*() {
      const { open, peer, wire } = yield* ordered()
      const batch = yield* started(peer.batch([{ method: "a" }]))
      yield* wire.send(notification("slow", [1]), JSON.stringify(failure(null, -32600, "Invalid Request")))
      yield* settle
      assert.isUndefined(batch.pollUnsafe())
      yield* open
      yield* Fiber.join(batch)
    }))

  it.effect.prop(
    "promise 13: notifications keep their order, and each response comes behind exactly those before it",
    [Arbitrary.array(Arbitrary.schema(Schema.Literals(["sync", "turn", "second", "response"])), { maxLength: 12 })],
    ([steps]) =>
      Effect.gen(function*() {
        const seen: Array<string> = []
        const see = (name: string) => Effect.sync(() => void seen.push(name))
        const handler = (wait: Effect.Effect<unknown>) => ({ params }: { readonly params?: unknown }) =>
          Effect.andThen(wait, see(`n${String(Object(params)[0])}`))
        const { peer, wire } = yield* connect({
          sync: ({ params }) => see(`n${String(Object(params)[0])}`),
          turn: handler(Effect.yieldNow),
          second: handler(Effect.sleep("1 second"))
        }, { responses: "afterNotifications", timeout: Duration.infinity })
        const expected: Array<string> = []
        let id = 0
        for (const [index, step] of steps.entries()) {
          if (step === "response") {
            const mine = ++id
            yield* started(Effect.andThen(peer.request("m"), see(`r${mine}`)))
            expected.push(`r${mine}`)
          } else expected.push(`n${index}`)
        }
        let answered = 0
        for (const [index, step] of steps.entries()) {
          yield* wire.send(step === "response" ? success(++answered, null) : notification(step, [index]))
        }
        for (let turns = 0; turns <= steps.length; turns++) {
          yield* settle
          yield* TestClock.adjust("1 second")
        }
        yield* settle
        assert.deepStrictEqual(seen, expected)
      }),
    { arbitrary: { runs: 40 } }
  )
})
