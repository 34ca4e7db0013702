import { assert, describe, it } from "@effect/vitest"
import { NodeTcp } from "@parley/node"
import { Listener, Transport } from "@parley/transport"
import { Deferred, Effect, Fiber } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { TestClock } from "effect/testing"
import * as sockets from "../src/internal/sockets.ts"
import { portOf } from "./support/pairs.ts"
import * as raw from "./support/raw.ts"
import { reasonOf } from "./support/reasonOf.ts"

type Side = Transport.Transport

/** Answers every text with itself until the input ends. */
const echo = (side: Side) =>
  side.receive.pipe(
    // These tests send texts only.
    Effect.flatMap((texts) => side.send(texts as NonEmptyReadonlyArray<string>)),
    Effect.forever({ disableYield: true })
  )

const listening = (
  handler: (side: Side) => Effect.Effect<unknown, unknown>,
  options: Partial<NodeTcp.TcpOptions> = {}
) =>
  Effect.gen(function*() {
    const listener = yield* NodeTcp.makeListener({ port: 0, ...options })
    yield* Effect.forkScoped(listener.run(handler))
    return listener.address
  })

describe("NodeTcp", () => {
  it.live("a client that ends its input before it reads gets its answers", () =>
    Effect.gen(function*() {
      const client = yield* raw.connect(yield* listening(echo))
      yield* client.write("{\"id\":1}\n{\"id\":2}\n")
      yield* client.end
      assert.strictEqual(Buffer.from(yield* client.received).toString(), "{\"id\":1}\n{\"id\":2}\n")
    }))

  it.live("a connection lasts as long as its handler", () =>
    Effect.gen(function*() {
      const address = yield* listening((side) => side.send(["bye"]))
      const client = yield* NodeTcp.makeTransport({ port: portOf(address) })
      assert.deepStrictEqual([...(yield* client.receive)], ["bye"])
      assert.strictEqual((yield* reasonOf(client.receive))._tag, "EndOfInput")
    }))

  it.live("closing delivers what was written, though there is input that nobody has read", () =>
    Effect.gen(function*() {
      const answer = JSON.stringify("x".repeat(4_000_000))
      const address = yield* listening((side) => Effect.andThen(side.receive, side.send([answer])))
      const client = yield* raw.connect(address)
      yield* client.write(`1\n${JSON.stringify("y".repeat(3_000_000))}\n`)
      assert.strictEqual((yield* client.received).length, answer.length + 1)
    }))

  it.live("a connection that is reset is Lost, for reading and for writing", () =>
    Effect.gen(function*() {
      const [side, client] = yield* raw.connectRaw(NodeTcp.makeListener({ port: 0 }))
      yield* Effect.sync(() => client.socket.resetAndDestroy())
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "Lost")
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "Lost")
      assert.strictEqual((yield* reasonOf(side.send(["1"])))._tag, "Lost")
    }))

  it.live("a sender that waits for room learns that the connection is lost", () =>
    Effect.gen(function*() {
      const [side, client] = yield* raw.connectRaw(NodeTcp.makeListener({ port: 0 }))
      client.socket.pause()
      const block = JSON.stringify("x".repeat(1_000_000))
      const sender = yield* Effect.forkChild(Effect.flip(Effect.forever(side.send([block]))), {
        startImmediately: true
      })
      yield* Effect.forkChild(Effect.exit(side.receive), { startImmediately: true })
      yield* Effect.sync(() => client.socket.resetAndDestroy())
      assert.strictEqual((yield* Fiber.join(sender)).reason._tag, "Lost")
    }))

  it.live("an HTTP client is a foreign protocol: the handler runs nothing, and its end closes the connection", () =>
    Effect.gen(function*() {
      const seen = yield* Deferred.make<string>()
      const address = yield* listening((side) =>
        Effect.flatMap(reasonOf(side.receive), ({ _tag }) => Deferred.succeed(seen, _tag))
      )
      const client = yield* raw.connect(address)
      yield* client.write("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"crash\"}\n")
      assert.strictEqual(yield* Deferred.await(seen), "ForeignProtocol")
      assert.strictEqual((yield* client.received).length, 0)
    }))

  it.live("connections beyond the limit are closed at once", () =>
    Effect.gen(function*() {
      const address = yield* listening(echo, { limits: { connections: 2 } })
      const first = yield* NodeTcp.makeTransport({ port: portOf(address) })
      const second = yield* NodeTcp.makeTransport({ port: portOf(address) })
      for (const side of [first, second]) {
        yield* side.send(["1"])
        yield* side.receive
      }
      const third = yield* NodeTcp.makeTransport({ port: portOf(address) })
      assert.strictEqual((yield* reasonOf(third.receive))._tag, "EndOfInput")
      yield* second.send(["2"])
      assert.deepStrictEqual([...(yield* second.receive)], ["2"])
    }))

  it.live("connections wait for `run`", () =>
    Effect.gen(function*() {
      const listener = yield* NodeTcp.makeListener({ port: 0 })
      const client = yield* NodeTcp.makeTransport({ port: portOf(listener.address) })
      yield* client.send(["1"])
      yield* Effect.forkScoped(listener.run(echo))
      assert.deepStrictEqual([...(yield* client.receive)], ["1"])
    }))

  it.live("its address is one that a client can use", () =>
    Effect.gen(function*() {
      assert.match(yield* listening(echo), /^tcp:\/\/127\.0\.0\.1:\d+$/)
    }))

  it.live("nobody listens: Open", () =>
    Effect.gen(function*() {
      const { address } = yield* Effect.scoped(NodeTcp.makeListener({ port: 0 }))
      assert.strictEqual((yield* reasonOf(NodeTcp.makeTransport({ port: portOf(address) })))._tag, "Open")
    }))

  it.live("the port is taken: Open", () =>
    Effect.gen(function*() {
      const port = portOf(yield* listening(echo))
      assert.strictEqual((yield* reasonOf(NodeTcp.makeListener({ port })))._tag, "Open")
    }))

  it.effect("no connection within Limits.handshake: Open", () =>
    Effect.gen(function*() {
      // A name that is never resolved.
      const place = { host: "parley.invalid", port: 1, lookup: () => {} }
      const opening = yield* Effect.forkChild(Effect.flip(sockets.connect(place, {})), { startImmediately: true })
      yield* TestClock.adjust(9_999)
      assert.isUndefined(opening.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(opening)).reason._tag, "Open")
    }))

  it.live("each side is a Layer, a new one per call", () =>
    Effect.gen(function*() {
      const listener = yield* Listener.Listener
      yield* Effect.forkScoped(listener.run(echo))
      const port = portOf(listener.address)
      const exchange = Effect.gen(function*() {
        const side = yield* Transport.Transport
        yield* side.send(["1"])
        assert.deepStrictEqual([...(yield* side.receive)], ["1"])
        return side
      })
      const [first, second] = yield* Effect.all([
        Effect.provide(exchange, NodeTcp.layerTransport({ port })),
        Effect.provide(exchange, NodeTcp.layerTransport({ port }))
      ])
      assert.notStrictEqual(first, second)
    }).pipe(Effect.provide(NodeTcp.layerListener({ port: 0 }))))
})
