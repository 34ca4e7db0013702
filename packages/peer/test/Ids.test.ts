/** Ids that the program chooses. */
import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance"
import { Effect, Exit, Fiber, Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { Exchange, Session } from "../src/index.ts"
import { ChosenIds } from "../src/internal/outgoing/ChosenIds.ts"
import { connect, routerOf, settle } from "./wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const prefixed = (next: number) => `mine-${next}`

/** What is chosen, one after the other. */
const choosing = (...ids: ReadonlyArray<string | number>) => (next: number) => ids[next - 1] ?? next

describe("chosen ids", () => {
  it.effect("promise 16: ids are never reused, and may be chosen: strings are matched by value", () =>
    Effect.gen(function*() {
      const seen: Array<string | number> = []
      const { peer, wire } = yield* connect({}, { ids: prefixed })
      const first = yield* started(peer.request("a", undefined, { onId: (id) => seen.push(id) }))
      const second = yield* started(peer.request("b"))
      assert.deepStrictEqual(yield* wire.take(2), [
        { jsonrpc: "2.0", id: "mine-1", method: "a" },
        { jsonrpc: "2.0", id: "mine-2", method: "b" }
      ])
      yield* wire.send(
        `{"jsonrpc":"2.0","id":1,"result":"a number"}`,
        `{"jsonrpc":"2.0","id":"m\\u0069ne-2","result":"b"}`,
        `{"jsonrpc":"2.0","id":"mine-1","result":"a"}`
      )
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["a", "b"])
      assert.deepStrictEqual(seen, ["mine-1"])
    }))

  it.effect("promise 16: ids are never reused, and one that is in flight already is InvalidArguments", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { ids: () => "same" })
      const first = yield* started(peer.request("a"))
      const error = yield* Effect.flip(peer.request("b"))
      assert.strictEqual(error._tag, "InvalidArguments")
      assert.include(error.message, `"same", which is the id of a call that waits`)
      assert.include((yield* Effect.flip(peer.batch([{ method: "c" }]))).message, "same")
      yield* wire.send(`{"jsonrpc":"2.0","id":"same","result":1}`)
      assert.strictEqual(yield* Fiber.join(first), 1)
      const again = yield* started(peer.request("d"))
      yield* wire.send(`{"jsonrpc":"2.0","id":"same","result":2}`)
      assert.strictEqual(yield* Fiber.join(again), 2)
    }))

  it.effect("a batch of which one id cannot be had is not sent, and leaves nothing behind", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { ids: choosing("a", "a", "a") })
      const error = yield* Effect.flip(peer.batch([{ method: "m" }, { method: "m" }]))
      assert.strictEqual(error._tag, "InvalidArguments")
      yield* settle
      assert.strictEqual(wire.received.length, 0)
      const call = yield* started(peer.request("m"))
      yield* wire.send(`{"jsonrpc":"2.0","id":"a","result":1}`)
      assert.strictEqual(yield* Fiber.join(call), 1)
    }))

  it.effect.each([Number.NaN, Number.POSITIVE_INFINITY])(
    "is refused where it has no JSON text: %s",
    (id) =>
      Effect.gen(function*() {
        const { peer } = yield* connect({}, { ids: () => id })
        assert.strictEqual((yield* Effect.flip(peer.request("m")))._tag, "InvalidArguments")
      })
  )

  it.effect("numbers are matched by value, too", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { ids: choosing(7, 1.5, 0) })
      const calls = yield* Effect.forEach(["a", "b", "c"], (method) => started(peer.request(method)))
      yield* wire.send(
        `{"jsonrpc":"2.0","id":1.50,"result":"b"}`,
        `{"jsonrpc":"2.0","id":0.0,"result":"c"}`,
        `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"a"}}`
      )
      const exits = yield* Effect.forEach(calls, Fiber.await)
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, true, true])
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, and its id names it in the cancellation", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { ids: prefixed })
      const call = yield* started(peer.request("m", {}, { onProgress: () => {} }))
      yield* settle
      yield* Fiber.interrupt(call)
      const error = yield* Effect.flip(peer.request("m", undefined, { timeout: 0 }))
      assert.deepInclude(error, { _tag: "RequestTimeout", id: "mine-2" })
      assert.deepStrictEqual((yield* wire.take(2))[1], {
        jsonrpc: "2.0",
        method: "$/cancelRequest",
        params: { id: "mine-1" }
      })
    }))

  it.effect("promise 11: what belongs to a call reaches that call, whatever its id", () =>
    Effect.gen(function*() {
      const seen: Array<Schema.Json> = []
      const { peer, wire } = yield* connect({}, { ids: prefixed })
      const call = yield* started(peer.request("m", {}, { onProgress: (params) => seen.push(params) }))
      const [sent] = yield* wire.take(1)
      const { workDoneToken: token } = Object(sent).params
      yield* wire.send(
        JSON.stringify({ jsonrpc: "2.0", method: "$/progress", params: { token, value: 1 } }),
        `{"jsonrpc":"2.0","id":"mine-1","result":null}`
      )
      yield* Fiber.join(call)
      assert.deepStrictEqual(seen, [{ token, value: 1 }])
    }))

  it.effect("a batch has them, and its reply is read by them", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { ids: prefixed })
      const batch = yield* started(peer.batch([{ method: "a" }, { method: "b" }]))
      yield* wire.send(`[{"jsonrpc":"2.0","id":"mine-2","result":2}]`)
      const [first, second] = yield* Fiber.join(batch)
      assert.deepInclude(first && Result.merge(first), { _tag: "InvalidResponse" })
      assert.deepStrictEqual(second, Result.succeed(2))
    }))

  it.effect("exchanges and sessions have them", () =>
    Effect.gen(function*() {
      const texts: Array<string> = []
      const caller = yield* Exchange.makeCaller({
        post: (text, take) => {
          texts.push(text)
          return Effect.as(take(`{"jsonrpc":"2.0","id":"mine-1","result":1}`) ?? Effect.void, "answer")
        }
      }, { ids: prefixed })
      assert.strictEqual(yield* caller.request("m"), 1)
      const session = yield* Session.make({ router: yield* routerOf({}), ids: prefixed })
      const back = session.caller({ send: (text) => Effect.sync(() => void texts.push(text)) })
      const call = yield* started(back.request("m"))
      yield* session.answer(`{"jsonrpc":"2.0","id":"mine-1","result":2}`)
      assert.strictEqual(yield* Fiber.join(call), 2)
      assert.deepStrictEqual(texts.map((text) => JSON.parse(text).id), ["mine-1", "mine-1"])
    }))

  it.prop(
    "promise 7: a call ends exactly once: the calls that wait are found by their ids, and no others",
    [Generators.sequence(Arbitrary.schema(Schema.Union([Schema.String, Schema.Finite])), 40)],
    ([ids]) => {
      const chosen = new ChosenIds<{ readonly id: string | number }>((next) => ids[next] ?? "none")
      const model = new Map<string | number, { readonly id: string | number }>()
      ids.forEach((id, at) => {
        const isTaken = model.has(id)
        if (isTaken) return assert.throws(() => chosen.next(at), RangeError)
        const call = { id: chosen.next(at) }
        chosen.add(call, call.id)
        model.set(id, call)
        if (at % 3 === 2) {
          chosen.delete(call)
          model.delete(id)
        }
        for (const other of ids) assert.strictEqual(chosen.get(other), model.get(other))
      })
    }
  )
})
