/** Ids that begin with a prefix. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, type Schema } from "effect"
import { Session } from "../src/index.ts"
import { Exchange } from "../src/shared/index.ts"
import { connect, routerOf, settle } from "./wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const idPrefix = "mine-"

describe("ids with a prefix", () => {
  it.effect("promise 16: ids are never reused, and may have a prefix: strings are matched by value", () =>
    Effect.gen(function*() {
      const seen: Array<string | number> = []
      const { peer, wire } = yield* connect({}, { idPrefix })
      const first = yield* started(peer.request("a", undefined, { onId: (id) => seen.push(id) }))
      const second = yield* started(peer.request("b"))
      assert.deepStrictEqual(yield* wire.take(2), [
        { jsonrpc: "2.0", id: "mine-1", method: "a" },
        { jsonrpc: "2.0", id: "mine-2", method: "b" }
      ])
      yield* wire.send(
        `{"jsonrpc":"2.0","id":1,"result":"a number"}`,
        `{"jsonrpc":"2.0","id":"mine-01","result":"another spelling"}`,
        `{"jsonrpc":"2.0","id":"mine-","result":"no number"}`,
        `{"jsonrpc":"2.0","id":"1","result":"no prefix"}`,
        `{"jsonrpc":"2.0","id":"m\\u0069ne-2","result":"b"}`,
        `{"jsonrpc":"2.0","id":"mine-1","result":"a"}`
      )
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["a", "b"])
      assert.deepStrictEqual(seen, ["mine-1"])
    }))

  it.effect("are strings of numbers where it is empty", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { idPrefix: "" })
      const call = yield* started(peer.request("m"))
      assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: "1", method: "m" }])
      yield* wire.send(`{"jsonrpc":"2.0","id":1,"result":1}`, `{"jsonrpc":"2.0","id":"1","result":2}`)
      assert.strictEqual(yield* Fiber.join(call), 2)
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind, and its id names it in the cancellation", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { idPrefix })
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
      const { peer, wire } = yield* connect({}, { idPrefix })
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
      const { peer, wire } = yield* connect({}, { idPrefix })
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
      }, { idPrefix })
      assert.strictEqual(yield* caller.request("m"), 1)
      const session = yield* Session.make({ router: yield* routerOf({}), idPrefix })
      const back = session.caller({ send: (text) => Effect.sync(() => void texts.push(text)) })
      const call = yield* started(back.request("m"))
      yield* session.answer(`{"jsonrpc":"2.0","id":"mine-1","result":2}`)
      assert.strictEqual(yield* Fiber.join(call), 2)
      assert.deepStrictEqual(texts.map((text) => JSON.parse(text).id), ["mine-1", "mine-1"])
    }))
})
