/** JSON that is no message of JSON-RPC, for the handler that wants to hear it. */
import { assert, describe, it } from "@effect/vitest"
import * as Exchange from "@parley/peer/Exchange"
import * as Session from "@parley/peer/Session"
import { Deferred, Effect, Fiber, Option, type Schema } from "effect"
import { makeExchange } from "./posts/exchanges.ts"
import { connect, failure, notification, request, routerOf, settle, success } from "./wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const event = (name: string) => JSON.stringify({ event: name })

const hearing = () => {
  const heard: Array<Schema.Json> = []
  const onForeign = (value: Schema.Json) => Effect.sync(() => void heard.push(value))
  return { heard, onForeign }
}

const invalid = failure(null, -32600, "Invalid Request")

describe("JSON that is no message", () => {
  it.effect("promise 13: notifications keep their order, and so does JSON that is no message between them", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const gate = yield* Deferred.make<void>()
      const see = (value: unknown) => Effect.sync(() => void seen.push(value))
      const { wire } = yield* connect({
        first: () => Effect.andThen(Deferred.await(gate), see("first")),
        second: () => see("second"),
        ask: () => Effect.as(see("ask"), null)
      }, { onForeign: see })
      yield* wire.send(
        notification("first"),
        event("a"),
        "7",
        `[null,${notification("second")},{"event":"b"}]`,
        request(1, "ask")
      )
      yield* settle
      assert.deepStrictEqual(seen, [])
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.deepStrictEqual(seen, ["first", { event: "a" }, 7, null, "second", { event: "b" }, "ask"])
      assert.deepStrictEqual(wire.received, [{ jsonrpc: "2.0", id: 1, result: null }])
    }))

  it.effect("is answered as an invalid request where nobody hears it", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect()
      yield* wire.send(event("a"), "7")
      assert.deepStrictEqual(yield* wire.take(2), [invalid, invalid])
    }))

  it.effect("is told from messages that are merely invalid, and from a response without a result", () =>
    Effect.gen(function*() {
      const { heard, onForeign } = hearing()
      const { peer, wire } = yield* connect({}, { onForeign })
      const call = yield* started(Effect.flip(peer.request("m")))
      yield* wire.send(`{"method":1}`, `{"jsonrpc":"2.0","id":1}`)
      assert.strictEqual((yield* Fiber.join(call))._tag, "InvalidResponse")
      yield* settle
      assert.deepStrictEqual(wire.received[1], invalid)
      assert.deepStrictEqual(heard, [])
    }))

  it.effect("a handler of it may call the other side, and holds back nothing while it waits", () =>
    Effect.gen(function*() {
      const results: Array<unknown> = []
      const { wire } = yield* connect({ ask: () => Effect.succeed("asked") }, {
        onForeign: (_, peer) => Effect.orDie(Effect.map(peer.request("back"), (result) => void results.push(result)))
      })
      yield* wire.send(event("a"), request(1, "ask"))
      yield* settle
      assert.deepStrictEqual(wire.received, [
        { jsonrpc: "2.0", id: 1, method: "back" },
        { jsonrpc: "2.0", id: 1, result: "asked" }
      ])
      yield* wire.send(success(1, "back"))
      yield* settle
      assert.deepStrictEqual(results, ["back"])
    }))

  it.effect("promise 17: beyond the limit it waits in a bounded inbox, and a full one stops the reading", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { limits: { inbox: 2, batch: 1 }, onForeign: () => Effect.never })
      for (let count = 0; count < 8; count++) yield* wire.send(event("a"))
      // It would be answered at once if it was read.
      yield* wire.send("{")
      yield* settle
      assert.deepStrictEqual(wire.received, [])
      assert.isTrue(yield* peer.connected)
    }))

  it.effect("promise 15: a defect goes to our log only", () =>
    Effect.gen(function*() {
      const { wire } = yield* connect({ ask: () => Effect.succeed(1) }, { onForeign: () => Effect.die("no") })
      yield* wire.send(event("a"), request(1, "ask"))
      assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", id: 1, result: 1 }])
    }))

  for (const from of ["an exchange", "a stream beside them"]) {
    it.effect(`is heard over exchanges, too: in ${from}`, () =>
      Effect.gen(function*() {
        const { heard, onForeign } = hearing()
        const { end, exchange, give, posted } = makeExchange()
        const { caller, take } = yield* Exchange.make(exchange, { onForeign })
        const call = yield* started(caller.request("m"))
        const bring = (text: string) => from === "an exchange" ? give(0, text) : take(text) ?? Effect.void
        yield* bring(event("a"))
        yield* bring(`[${event("b")},7]`)
        yield* give(0, success(1, "response"))
        yield* end(0)
        assert.strictEqual(yield* Fiber.join(call), "response")
        assert.deepStrictEqual(heard, [{ event: "a" }, { event: "b" }, 7])
        // Nothing was replied.
        assert.strictEqual(posted.length, 1)
      }))
  }

  it.effect("is no response: an exchange that brings nothing else fails its call", () =>
    Effect.gen(function*() {
      const { heard, onForeign } = hearing()
      const { end, exchange, give } = makeExchange()
      const caller = yield* Exchange.makeCaller(exchange, { onForeign })
      const calls = [yield* started(Effect.flip(caller.request("m"))), yield* started(Effect.flip(caller.request("m")))]
      yield* give(0, event("a"))
      yield* give(1, event("b"))
      yield* end(0, "answer")
      yield* end(1, "stream")
      const errors = yield* Effect.forEach(calls, Fiber.join)
      assert.deepStrictEqual(errors.map(({ _tag }) => _tag), ["InvalidResponse", "Disconnected"])
      assert.deepStrictEqual(heard, [{ event: "a" }, { event: "b" }])
    }))

  it.effect("is heard by a session, too, and has no reply", () =>
    Effect.gen(function*() {
      const { heard, onForeign } = hearing()
      const router = yield* routerOf({ ask: () => Effect.succeed(1) })
      const session = yield* Session.make({ router, onForeign })
      assert.deepStrictEqual(yield* session.answer(event("a")), Option.none())
      assert.deepStrictEqual(
        yield* session.answer(`[{"event":"b"},${request(1, "ask")}]`),
        Option.some(`[{"jsonrpc":"2.0","id":1,"result":1}]`)
      )
      assert.deepStrictEqual(heard, [{ event: "a" }, { event: "b" }])
      const decoded = Session.decoder({ onForeign })(event("c"))
      assert.deepStrictEqual(yield* session.answer(decoded), Option.none())
      assert.deepStrictEqual(heard.length, 3)
    }))
})
