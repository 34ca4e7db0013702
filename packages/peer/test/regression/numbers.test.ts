/**
 * `1e400` is JSON, and is parsed as Infinity: as the id of a cancellation, or in the `data` of an error, it made the
 * receive loop throw, which ended the connection and left the call waiting. So did a code of ours that is no integer.
 * In params it came to handlers as Infinity, and went on as null.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Dialect from "@parley/protocol/Dialect"
import { Effect, Fiber } from "effect"
import { connect, failure, request, settle } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("a number beyond all numbers", () => {
  it.effect("promise 14: one bad message costs one error reply, and a cancel of the id 1e400 nothing", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ echo: (call) => Effect.succeed(call.params ?? null) })
      yield* wire.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1e400}}`, request(1, "echo", [1]))
      yield* settle
      assert.deepStrictEqual(wire.received, [{ jsonrpc: "2.0", id: 1, result: [1] }])
      assert.isTrue(yield* peer.connected)
    }))

  it.effect("promise 7: a call ends exactly once, also by an error whose data holds 1e400", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const call = yield* started(Effect.flip(peer.request("m")))
      yield* wire.take(1)
      yield* wire.send(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":[{"deep":1e400}]}}`)
      yield* settle
      assert.isDefined(call.pollUnsafe())
      const data = [{ deep: Number.POSITIVE_INFINITY }]
      assert.deepInclude(yield* Fiber.join(call), { _tag: "RemoteError", code: 1, data })
      assert.isTrue(yield* peer.connected)
    }))

  it.effect("promise 14: one bad message costs one error reply, and params with 1e400 are never run", () =>
    Effect.gen(function*() {
      let runs = 0
      const { peer, wire } = yield* connect({ echo: (call) => Effect.sync(() => (runs++, call.params ?? null)) })
      yield* wire.send(
        `{"jsonrpc":"2.0","id":1,"method":"echo","params":[{"deep":[-1e400]}]}`,
        `{"jsonrpc":"2.0","method":"echo","params":[1E999]}`,
        `[{"jsonrpc":"2.0","id":"a","method":"echo","params":[${"9".repeat(310)}]},${request(2, "echo", [1e308])}]`
      )
      yield* settle
      assert.strictEqual(runs, 1)
      assert.deepStrictEqual(wire.received, [
        failure(1, -32600, "Invalid Request"),
        [failure("a", -32600, "Invalid Request"), { jsonrpc: "2.0", id: 2, result: [1e308] }]
      ])
      assert.isTrue(yield* peer.connected)
    }))

  it.effect("promise 7: a call ends exactly once, and fails by a result with 1e400", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const call = yield* started(Effect.flip(peer.request("m")))
      yield* wire.take(1)
      yield* wire.send(`{"jsonrpc":"2.0","id":1,"result":[1e400]}`)
      yield* settle
      assert.isDefined(call.pollUnsafe())
      assert.deepInclude(yield* Fiber.join(call), { _tag: "InvalidResponse", method: "m" })
    }))

  it.effect("promise 14: one bad message costs one error reply, also where the dialect has an impossible code", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({ hang: () => Effect.never }, {
        dialect: Dialect.make({ name: "test", overloadCode: 1.5 }),
        limits: { inFlight: 1, inbox: 1, batch: 1, budget: 5_000 }
      })
      yield* started(Effect.ignore(peer.request("m")))
      yield* Effect.exit(wire.send(request(1, "hang"), request(2, "hang"), request(3, "hang")))
      yield* settle
      assert.isTrue(yield* peer.connected)
      assert.deepStrictEqual(wire.received.slice(1), [failure(3, -32603, "Internal error")])
    }))
})
