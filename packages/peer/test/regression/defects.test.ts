/** What others throw, where they should fail, broke the receive loop or the sweeper, or left calls waiting for ever. */
import { assert, describe, it } from "@effect/vitest"
import { Listener } from "@parley/transport/Listener"
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import * as Transport from "@parley/transport/Transport"
import { Deferred, Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Peer, Router, Server } from "../../src/index.ts"
import { connect, failure, request, routerOf, settle, success } from "../wire.ts"

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const echo: Router.Handlers = { echo: (call) => Effect.succeed(call.params ?? null) }

/** Runs it with a logger, and gives what was logged. */
const logging = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  return Effect.as(Effect.provide(effect, Logger.layer([logger])), lines)
}

/** Makes a call whose end is observed by what throws. */
const callThatThrows = (peer: Peer.Peer, timeout?: number) =>
  Effect.contextWith((context: Parameters<typeof Effect.runCallbackWith<never>>[0]) =>
    Effect.sync(() => {
      Effect.runCallbackWith(context)(peer.request("observed", undefined, { timeout }), {
        onExit: () => {
          throw new Error("observer")
        }
      })
    })
  )

describe("an observer that throws", () => {
  it.effect("promise 21: no timer without need: what throws at its deadline does not stop the other deadlines", () =>
    Effect.gen(function*() {
      const lines = yield* logging(Effect.gen(function*() {
        const { peer } = yield* connect()
        yield* callThatThrows(peer, 100)
        const before = yield* started(Effect.flip(peer.request("m", undefined, { timeout: 500 })))
        yield* TestClock.adjust("510 millis")
        yield* settle
        assert.isDefined(before.pollUnsafe())
        const after = yield* started(Effect.flip(peer.request("m", undefined, { timeout: 500 })))
        yield* TestClock.adjust("510 millis")
        yield* settle
        assert.isDefined(after.pollUnsafe())
        for (const call of [before, after]) assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout" })
      }))
      assert.deepStrictEqual(lines, ["what waited for the response to observed (id 1) threw"])
    }))

  it.effect("promise 12: the receive loop waits for nothing but the transport: no caller that throws stops it", () =>
    Effect.gen(function*() {
      const lines = yield* logging(Effect.gen(function*() {
        const { peer, wire } = yield* connect()
        yield* callThatThrows(peer)
        yield* wire.take(1)
        yield* wire.send(success(1, "observed"))
        yield* settle
        assert.isTrue(yield* peer.connected)
        const call = yield* started(peer.request("m"))
        yield* wire.send(success(2, "next"))
        assert.strictEqual(yield* Fiber.join(call), "next")
      }))
      assert.deepStrictEqual(lines, ["what waited for the response to observed (id 1) threw"])
    }))

  it.effect("promise 9: closing ends every call with Disconnected, also behind one that throws", () =>
    Effect.gen(function*() {
      yield* logging(Effect.gen(function*() {
        const lost = yield* Deferred.make<void, Transport.TransportError>()
        let closes = 0
        const peer = yield* Peer.make({
          receive: Effect.never,
          send: () => Deferred.await(lost),
          close: Effect.sync(() => void closes++)
        })
        yield* callThatThrows(peer)
        const call = yield* started(Effect.flip(peer.request("m")))
        yield* settle
        yield* Deferred.fail(lost, Transport.transportError({ _tag: "Lost", cause: new Error("no") }))
        yield* settle
        assert.strictEqual(yield* peer.state, "closed")
        assert.strictEqual(closes, 1)
        assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected" })
      }))
    }))
})

describe("what throws instead of failing", () => {
  it.effect("promise 15: a defect answers -32603 without data, also of a router, or of a handler without an effect", () =>
    Effect.gen(function*() {
      const lines = yield* logging(Effect.gen(function*() {
        const router = yield* routerOf(echo)
        const handlerOf: Router.Router["handlerOf"] = (method) => {
          if (method === "throws") throw new Error("secret")
          return method === "nothing" ? () => undefined as never : router.handlerOf(method)
        }
        const { peer, wire } = yield* connect({}, { router: { ...router, handlerOf } })
        yield* wire.send(request(1, "throws"), request(2, "nothing"), request(3, "echo", []))
        yield* settle
        assert.isTrue(yield* peer.connected)
        assert.deepStrictEqual(wire.received, [
          failure(1, -32603, "Internal error"),
          failure(2, -32603, "Internal error"),
          { jsonrpc: "2.0", id: 3, result: [] }
        ])
      }))
      assert.strictEqual(lines.length, 2)
    }))

  it.effect("promise 9: closing ends every call with Disconnected, also when the transport throws", () =>
    Effect.gen(function*() {
      const cause = new Error("send")
      const peer = yield* Peer.make({
        receive: Effect.never,
        send: () => {
          throw cause
        },
        close: Effect.void
      })
      const call = yield* started(Effect.flip(peer.request("m")))
      yield* settle
      assert.isDefined(call.pollUnsafe())
      assert.deepInclude(yield* Fiber.join(call), { _tag: "Disconnected", reason: { _tag: "Lost", cause } })
    }))

  it.effect("a transport that receives what is no text: what came before is answered", () =>
    Effect.gen(function*() {
      const written: Array<string> = []
      let reads = 0
      const peer = yield* Peer.make({
        receive: Effect.suspend(() =>
          reads++ === 0 ? Effect.succeed([request(1, "echo", [1]), null as never] as const) : Effect.never
        ),
        send: (texts) => Effect.sync(() => void written.push(...texts)),
        close: Effect.void
      }, { router: yield* routerOf(echo) })
      assert.deepInclude(yield* peer.disconnected, { _tag: "Lost" })
      yield* settle
      assert.deepStrictEqual(written, [success(1, [1])])
    }))

  it.effect("what `onConnection` dies of is logged, and the connection is served", () =>
    Effect.gen(function*() {
      const lines = yield* logging(Effect.gen(function*() {
        const { connect, listener } = yield* MemoryTransport.makeListener()
        const router = yield* routerOf(echo)
        yield* started(
          Server.runWith({ onConnection: () => Effect.die("boom") }).pipe(
            Effect.provideService(Listener, listener),
            Effect.provideService(Router.Router, router)
          )
        )
        const peer = yield* Peer.make(yield* connect, { limits: { drain: 0 } })
        assert.deepStrictEqual(yield* peer.request("echo", [1]), [1])
        yield* settle
      }))
      assert.deepStrictEqual(lines, ["the `onConnection` of a server died"])
    }))
})
