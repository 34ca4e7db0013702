/** What waited for room in the outbox was forgotten when its time or the connection was over, or written even so. */
import { assert, describe, it } from "@effect/vitest"
import * as Transport from "@parley/transport/Transport"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { Peer } from "../../src/index.ts"
import { connect, notification, request, settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

/** How each member of a batch ended, in a word. */
const tags = (outcomes: Effect.Success<ReturnType<Peer.Peer["batch"]>>) =>
  outcomes.map((outcome) =>
    outcome === undefined ? "none" : Result.isSuccess(outcome) ? "success" : outcome.failure._tag
  )

const text = "x".repeat(1000)

describe("what waits for room", () => {
  it.effect("promise 9: closing ends every call with Disconnected, also notifications that wait for room", () =>
    Effect.gen(function*() {
      const peer = yield* Peer.make({ receive: Effect.never, send: () => Effect.never, close: Effect.void }, {
        limits: { outbox: 1000, writeStall: 1000 }
      })
      yield* peer.notify("n", [text])
      const notified = yield* started(Effect.flip(peer.notify("n", [text])))
      const batched = yield* started(Effect.flip(peer.batch([{ method: "n", notification: true }])))
      const called = yield* started(Effect.flip(peer.request("m")))
      yield* settle
      yield* TestClock.adjust("1010 millis")
      yield* settle
      for (const fiber of [notified, batched, called]) assert.isDefined(fiber.pollUnsafe())
      const stalled = { _tag: "Disconnected", reason: { _tag: "WriteStalled" }, sent: false } as const
      const errors = yield* Effect.all([Fiber.join(notified), Fiber.join(batched), Fiber.join(called)])
      for (const error of errors) assert.deepInclude(error, stalled)
    }))

  it.effect("promise 9: closing ends every call with Disconnected, `sent` when it is still written while draining", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<never, Transport.TransportError>()
      const written: Array<string> = []
      const peer = yield* Peer.make({
        receive: Deferred.await(ended),
        send: (texts) => Effect.andThen(Deferred.await(gate), Effect.sync(() => void written.push(...texts))),
        close: Effect.void
      }, { limits: { outbox: 100 } })
      yield* peer.notify("first")
      yield* settle
      const queued = yield* started(Effect.flip(peer.request("queued", [text])))
      const parked = yield* started(Effect.flip(peer.request("parked")))
      yield* settle
      yield* Deferred.fail(ended, Transport.transportError({ _tag: "EndOfInput" }))
      yield* settle
      assert.deepInclude(yield* Fiber.join(queued), { _tag: "Disconnected", sent: true })
      assert.deepInclude(yield* Fiber.join(parked), { _tag: "Disconnected", sent: false })
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.deepStrictEqual(written.map((text) => JSON.parse(text).method), ["first", "queued"])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: without any time it is not written", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const call = yield* started(Effect.flip(peer.request("m", undefined, { timeout: 0 })))
      yield* TestClock.adjust("1 second")
      yield* settle
      assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 0 })
      assert.deepStrictEqual(wire.received, [])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: nor does a batch without any time", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const none = yield* peer.batch([{ method: "a" }, { method: "b" }], { timeout: 0 })
      const some = yield* peer.batch([{ method: "a" }, { method: "n", notification: true }], { timeout: 0 })
      yield* settle
      assert.deepStrictEqual([none, some].map(tags), [["RequestTimeout", "RequestTimeout"], ["RequestTimeout", "none"]])
      assert.deepStrictEqual(wire.received, [[JSON.parse(notification("n"))]])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: in a batch, its notifications go out", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { limits: { window: 1 } })
      yield* started(peer.request("m", undefined, { timeout: "1 minute" }))
      yield* started(peer.batch([{ method: "a" }, { method: "b" }], { timeout: "1 second" }))
      const batch = yield* started(
        peer.batch([{ method: "a" }, { method: "n", notification: true }, { method: "b" }], { timeout: "1 second" })
      )
      yield* settle
      yield* TestClock.adjust("1010 millis")
      yield* settle
      assert.deepStrictEqual(tags(yield* Fiber.join(batch)), ["RequestTimeout", "none", "RequestTimeout"])
      assert.deepStrictEqual(wire.received, [JSON.parse(request(1, "m")), [JSON.parse(notification("n"))]])
    }))

  it.effect("a call that is made when another has ended goes out behind those that wait", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { limits: { window: 1 } })
      const looping = yield* started(Effect.andThen(peer.request("a"), peer.request("c")))
      const waiting = yield* started(peer.request("b"))
      for (const id of [1, 2, 3]) {
        yield* wire.take(id)
        yield* wire.send(success(id, id))
      }
      yield* Fiber.join(looping)
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(wire.received.map((text) => (text as { method: string }).method), ["a", "b", "c"])
    }))
})
