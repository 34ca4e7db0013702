import { assert, describe, it } from "@effect/vitest"
import { Framing } from "@parley/protocol"
import { SocketTransport, Transport } from "@parley/transport"
import { Effect, Fiber, Layer } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import { Socket } from "effect/socket"
import { TestClock } from "effect/testing"
import { reasonOf } from "./support/wire.ts"

type Item = Uint8Array | string | Socket.SocketErrorReason

/** A socket that brings these items, then nothing, and keeps what is written. */
const socketOf = (...items: ReadonlyArray<Item>) => {
  const rest = [...items]
  const written: Array<Uint8Array | string | Socket.CloseEvent> = []
  const socket = Socket.make({
    reader: Effect.succeed({
      pull: Effect.suspend((): Effect.Effect<NonEmptyReadonlyArray<Uint8Array | string>, Socket.SocketError> => {
        const item = rest.shift()
        if (item === undefined) return Effect.never
        return typeof item === "string" || item instanceof Uint8Array
          ? Effect.succeed([item])
          : Effect.fail(new Socket.SocketError({ reason: item }))
      }),
      upgrade: () => Effect.never
    }),
    writer: Effect.succeed({
      write: (chunk) => Effect.sync(() => void written.push(chunk)),
      writeAll: (chunks) => Effect.sync(() => void written.push(...chunks))
    })
  })
  return { socket, written }
}

const closed = (code: number) => new Socket.SocketCloseError({ code })

describe("SocketTransport", () => {
  it.effect("reads and writes lines", () =>
    Effect.gen(function*() {
      const { socket, written } = socketOf("{\"a\":", new TextEncoder().encode("1}\n"))
      const transport = yield* SocketTransport.make(socket)
      assert.deepStrictEqual([...(yield* transport.receive)], ["{\"a\":1}"])
      yield* transport.send(["1", "2"])
      assert.deepStrictEqual(written, [new TextEncoder().encode("1\n2\n")])
    }))

  it.effect("with the framing `none` every message is one text", () =>
    Effect.gen(function*() {
      const { socket, written } = socketOf("{\n}", "[1]", closed(1000))
      const transport = yield* SocketTransport.make(socket, { framing: Framing.none })
      assert.deepStrictEqual([...(yield* transport.receive)], ["{\n}"])
      assert.deepStrictEqual([...(yield* transport.receive)], ["[1]"])
      assert.strictEqual((yield* reasonOf(transport.receive))._tag, "EndOfInput")
      yield* transport.send(["1", "2"])
      assert.deepStrictEqual(written, ["1", "2"])
    }))

  for (const [code, tag] of [[1000, "EndOfInput"], [1001, "EndOfInput"], [1006, "Lost"], [1011, "Lost"]] as const) {
    it.effect(`a close with code ${code} is ${tag}`, () =>
      Effect.gen(function*() {
        const transport = yield* SocketTransport.make(socketOf(closed(code)).socket)
        assert.strictEqual((yield* reasonOf(transport.receive))._tag, tag)
      }))
  }

  it.effect("a failed read is Lost", () =>
    Effect.gen(function*() {
      const { socket } = socketOf(new Socket.SocketReadError({ cause: new Error("reset") }))
      const transport = yield* SocketTransport.make(socket)
      assert.strictEqual((yield* reasonOf(transport.receive))._tag, "Lost")
    }))

  it.effect("a socket that cannot be opened is Open", () =>
    Effect.gen(function*() {
      const cause = new Socket.SocketError({
        reason: new Socket.SocketOpenError({ kind: "Unknown", cause: new Error("refused") })
      })
      const socket = Socket.make({ reader: Effect.fail(cause), writer: socketOf().socket.writer })
      assert.strictEqual((yield* reasonOf(SocketTransport.make(socket)))._tag, "Open")
    }))

  it.effect("a socket that does not open within Limits.handshake is Open", () =>
    Effect.gen(function*() {
      const socket = Socket.make({ reader: Effect.never, writer: socketOf().socket.writer })
      const opening = yield* Effect.forkChild(Effect.flip(SocketTransport.make(socket)), { startImmediately: true })
      yield* TestClock.adjust(9_999)
      assert.isUndefined(opening.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(opening)).reason._tag, "Open")
    }))

  it.effect("its Layer takes the socket from the context", () =>
    Effect.gen(function*() {
      const transport = yield* Transport.Transport
      assert.deepStrictEqual([...(yield* transport.receive)], ["{}"])
    }).pipe(
      Effect.provide(
        SocketTransport.layer().pipe(
          Layer.provide(Layer.succeed(Socket.Socket, socketOf("{}\n").socket))
        )
      )
    ))
})
