import { assert, describe, it } from "@effect/vitest"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import type * as Transport from "@parley/transport/Transport"
import * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import { Deferred, Effect, Fiber } from "effect"
import { Socket } from "effect/socket"
import * as rawWebSocket from "./support/rawWebSocket.ts"
import { reasonOf } from "./support/reasonOf.ts"
import { listening } from "./support/webSocketListener.ts"

type Side = Transport.Transport

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

describe("the WebSocket of the platform", () => {
  const open = (url: string, options: WebSocketTransport.WebSocketOptions = {}) =>
    Effect.provide(WebSocketTransport.make({ url, ...options }), Socket.layerWebSocketConstructorGlobal)

  it.live("ends with Unread when nobody reads, and the other side learns it", () =>
    Effect.gen(function*() {
      const ended = yield* Deferred.make<unknown>()
      const url = yield* rawWebSocket.server((bare) => {
        const block = "x".repeat(1_000)
        for (let index = 0; index < 20; index++) bare.send(block)
        bare.on("close", (code) => Deferred.doneUnsafe(ended, Effect.succeed(code)))
      })
      const side = yield* open(url, { limits: { frame: 10_000 } })
      assert.strictEqual(yield* Deferred.await(ended), 4008)
      const read = Effect.forever(side.receive)
      const reason = yield* reasonOf(read)
      assert.strictEqual(reason._tag, "Unread")
      assert.deepStrictEqual(yield* reasonOf(side.send(["1"])), reason)
    }))

  it.live("makes a sender wait while the other side does not read", () =>
    Effect.gen(function*() {
      const accepted = yield* Deferred.make<Side>()
      const url = yield* listening({}, (side) => Effect.andThen(Deferred.succeed(accepted, side), Effect.never))
      const side = yield* open(url)
      const other = yield* Deferred.await(accepted)
      const block = "x".repeat(1_000_000)
      let sent = 0
      const sending = yield* started(
        Effect.forEach(Array.from({ length: 40 }), () => Effect.map(side.send([block]), () => sent++), {
          discard: true
        })
      )
      for (let quiet = 0, before = -1; quiet < 300; quiet = sent === before ? quiet + 1 : 0, before = sent) {
        yield* Effect.yieldNow
      }
      assert.isBelow(sent, 40)
      let got = 0
      while (got < 40) got += (yield* other.receive).length
      yield* Fiber.join(sending)
      assert.strictEqual(got, 40)
    }))

  it.live("nobody listens, or the server refuses: Open", () =>
    Effect.gen(function*() {
      const { address } = yield* Effect.scoped(NodeWebSocket.makeListener({ port: 0 }))
      assert.strictEqual((yield* reasonOf(open(address)))._tag, "Open")
      const url = yield* listening({ path: "/rpc" })
      assert.strictEqual((yield* reasonOf(open(url.replace("/rpc", "/other"))))._tag, "Open")
    }))
})
