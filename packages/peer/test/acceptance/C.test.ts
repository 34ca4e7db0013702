/** A client over any transport. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Caller, Peer, Router } from "../../src/index.ts"
import { connect, failure, notification, request, routerOf, settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

describe("a client over any transport", () => {
  it.effect("C1: it is made from a transport and a default timeout, and says whether it is connected", () =>
    Effect.gen(function*() {
      const [ours, theirs] = yield* MemoryTransport.makePair()
      yield* Effect.gen(function*() {
        const peer = yield* Peer.Peer
        assert.isTrue(yield* peer.connected)
        const call = yield* started(Effect.flip((yield* Caller.Caller).request("m")))
        yield* TestClock.adjust("5010 millis")
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 5000 } as const)
        const watcher = yield* started(peer.disconnected)
        yield* theirs.close
        assert.deepStrictEqual(yield* Fiber.join(watcher), { _tag: "EndOfInput" })
        assert.isFalse(yield* peer.connected)
      }).pipe(
        Effect.provide(
          Layer.provide(Peer.layer({ timeout: "5 seconds" }), Layer.succeed(Transport)(Transport.of(ours)))
        )
      )
    }))

  it.effect("C1: the default timeout is 30 seconds", () =>
    Effect.gen(function*() {
      const { peer } = yield* connect()
      const call = yield* started(Effect.flip(peer.request("m")))
      yield* TestClock.adjust("29990 millis")
      assert.isUndefined(call.pollUnsafe())
      yield* TestClock.adjust("20 millis")
      assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", milliseconds: 30_000 } as const)
    }))

  it.effect("C2: it makes ids, keeps the waiting requests, and gives each response to the right caller", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const calls = yield* Effect.forEach(["a", "b", "c"], (method) => started(peer.request(method)))
      yield* wire.take(3)
      yield* wire.send(success(2, "for b"), success(3, "for c"), success(1, "for a"))
      assert.deepStrictEqual(yield* Effect.forEach(calls, Fiber.join), ["for a", "for b", "for c"])
    }))

  it.effect("C3: notifications are fire-and-forget, and handlers for the other side come at any time", () =>
    Effect.gen(function*() {
      const router = yield* Router.make()
      const { peer, wire } = yield* connect({}, { router })
      yield* peer.notify("n", { a: 1 })
      assert.deepStrictEqual(yield* wire.take(1), [{ jsonrpc: "2.0", method: "n", params: { a: 1 } }])
      const seen: Array<unknown> = []
      yield* router.add("note", (call) => Effect.sync(() => void seen.push(call.params)))
      yield* router.add("ask", () => Effect.succeed("told"))
      yield* wire.send(notification("note", [1]), request("q", "ask"))
      assert.deepStrictEqual((yield* wire.take(2))[1], { jsonrpc: "2.0", id: "q", result: "told" })
      assert.deepStrictEqual(seen, [[1]])
    }))

  it.effect("C4: an unknown method is answered -32601, and a malformed message never breaks the client", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect()
      const call = yield* started(peer.request("m"))
      yield* wire.take(1)
      const garbage = [
        "",
        "{",
        "[]",
        "7",
        "null",
        `{"jsonrpc":"2.0"}`,
        `{"jsonrpc":"1.0","id":1,"result":0}x`,
        `{"id":{}}`
      ]
      yield* wire.send(...garbage, request(5, "unknown"))
      assert.deepInclude(yield* wire.take(10), { ...Object(failure(5, -32601, "Method not found", "unknown")) })
      yield* wire.send(success(1, "still here"))
      assert.strictEqual(yield* Fiber.join(call), "still here")
    }))

  it.effect("C6: when the transport ends, every waiting caller learns it", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* connect({}, { router: yield* routerOf({}) })
      const calls = yield* Effect.forEach(Array.from({ length: 100 }), () => started(Effect.flip(peer.request("m"))))
      yield* settle
      yield* wire.transport.close
      for (const call of calls) {
        assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", sent: true } as const)
      }
    }))
})
