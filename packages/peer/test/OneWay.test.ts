import { assert, describe, it } from "@effect/vitest"
import { Router } from "@parley/peer"
import { Deferred, Effect, Fiber, Option } from "effect"

const request = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })

const tokens = { workDoneToken: "w", partialResultToken: "p" }

const handlers: Router.Handlers = {
  work: (call) =>
    Effect.gen(function*() {
      yield* call.progress({ percentage: 50 })
      yield* call.partialResult?.(["a"]) ?? Effect.void
      yield* call.peer.notify("done", [1])
      return ["b"]
    }).pipe(Effect.orDie),
  ask: (call) => Effect.map(Effect.flip(call.peer.request("m")), (error) => error._tag).pipe(Effect.orDie),
  note: (call) => Effect.orDie(call.peer.notify("noted", call.params))
}

/** Answers a text, and gives what was sent before the answer, and the answer. */
const answering = (text: string) =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    yield* router.addAll(handlers)
    const sent: Array<unknown> = []
    const send = (text: string) => Effect.sync(() => void sent.push(JSON.parse(text)))
    const reply = yield* router.answer(text, { send })
    return [...sent, JSON.parse(Option.getOrElse(reply, () => "null"))]
  })

describe("Router.answer with `send`", () => {
  it.effect("promise 11: what belongs to a call reaches it before its response", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* answering(request("work", tokens)), [
        { jsonrpc: "2.0", method: "$/progress", params: { percentage: 50, token: "w" } },
        { jsonrpc: "2.0", method: "$/progress", params: { token: "p", value: ["a"] } },
        { jsonrpc: "2.0", method: "done", params: [1] },
        { jsonrpc: "2.0", id: 1, result: ["b"] }
      ])
    }))

  it.effect("sends nothing that was not asked for, and has no partial results for a notification", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* answering(request("work")), [
        { jsonrpc: "2.0", method: "done", params: [1] },
        { jsonrpc: "2.0", id: 1, result: ["b"] }
      ])
      const notification = JSON.stringify({ jsonrpc: "2.0", method: "work", params: tokens })
      assert.deepStrictEqual(yield* answering(notification), [
        { jsonrpc: "2.0", method: "$/progress", params: { percentage: 50, token: "w" } },
        { jsonrpc: "2.0", method: "done", params: [1] },
        null
      ])
    }))

  it.effect("still has nobody who could be asked", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* answering(request("ask")), [{ jsonrpc: "2.0", id: 1, result: "Disconnected" }])
    }))

  it.effect("a handler waits while what it sends is not taken, and its interruption ends that", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      const took = yield* Deferred.make<void>()
      const went = { on: 0, away: 0 }
      yield* router.add("work", (call) =>
        Effect.orDie(Effect.onInterrupt(
          Effect.andThen(call.peer.notify("n"), Effect.sync(() => void went.on++)),
          () => Effect.sync(() => void went.away++)
        )))
      const send = () => Deferred.await(took)
      const first = yield* Effect.forkChild(router.answer(request("work"), { send }), { startImmediately: true })
      const second = yield* Effect.forkChild(router.answer(request("work"), { send }), { startImmediately: true })
      assert.deepStrictEqual(went, { on: 0, away: 0 })
      yield* Fiber.interrupt(second)
      yield* Deferred.succeed(took, undefined)
      yield* Fiber.join(first)
      assert.deepStrictEqual(went, { on: 1, away: 1 })
    }))

  it.effect("what comes behind the answer is not sent", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      const sent: Array<string> = []
      const later = yield* Deferred.make<Effect.Effect<void, unknown>>()
      yield* router.add("work", (call) => Effect.asVoid(Deferred.succeed(later, call.peer.notify("n"))))
      yield* router.answer(request("work"), { send: (text) => Effect.sync(() => void sent.push(text)) })
      const error = yield* Effect.flip(yield* Deferred.await(later))
      assert.include(error, { _tag: "Disconnected", sent: false })
      assert.deepStrictEqual(sent, [])
    }))
})
