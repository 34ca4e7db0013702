import { assert, describe, it } from "@effect/vitest"
import { Limits } from "@parley/protocol"
import { type Transport, WebSocketTransport } from "@parley/transport"
import { Budget } from "@parley/transport/shared"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { Extended } from "../../../transport/test/support/webSockets.ts"
import * as Unfinished from "../../src/internal/webSocket/Unfinished.ts"
import { reasonOf } from "../support/reasonOf.ts"

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** A frame with a payload of so many bytes, or what has come of it. RFC 6455, 5.2. */
const frame = (first: number, size: number, come = size): Uint8Array =>
  Uint8Array.from([first, 126, size >> 8, size & 0xff, ...new Uint8Array(come)])

const text = (size: number) => frame(0x81, size)
const part = (size: number) => frame(0x01, size)
const next = (size: number) => frame(0x00, size)
const ping = frame(0x89, 3)

const joined = (...frames: ReadonlyArray<Uint8Array>) => Uint8Array.from(frames.flatMap((bytes) => [...bytes]))

/** One whose reads are the test's. */
const readable = () => {
  let read = (_bytes: Uint8Array, _brings = () => {}) => {}
  const listen = (after: (bytes: Uint8Array) => void) => {
    read = (bytes, brings = () => {}) => {
      brings()
      after(bytes)
    }
  }
  return Effect.gen(function*() {
    const socket = new Extended()
    const unfinished = yield* Unfinished.make(Limits.make(), listen)
    const side = yield* WebSocketTransport.fromWebSocket(socket, { keepAlive: false, unfinished })
    return { side, socket, read }
  })
}

const received = (side: Transport.Transport) => Effect.map(side.receive, (texts) => [...texts])

describe("an unfinished message of a WebSocket", () => {
  it.effect("the texts of one read are received together when it is over, and what comes between reads at once", () =>
    Effect.gen(function*() {
      const { read, side, socket } = yield* readable()
      const reading = yield* started(received(side))
      read(joined(text(3), text(3)), () => {
        socket.message("[1]", "[2]")
        assert.isUndefined(reading.pollUnsafe())
      })
      assert.deepStrictEqual(reading.pollUnsafe(), Exit.succeed(["[1]", "[2]"]))
      const later = yield* started(received(side))
      socket.message("[3]", "[4]")
      yield* Effect.yieldNow
      assert.deepStrictEqual(later.pollUnsafe(), Exit.succeed(["[3]", "[4]"]))
    }))

  it.effect("what has come of an unfinished message takes from the budget, and ends the connection when it is spent", () =>
    Effect.gen(function*() {
      const budget = Budget.make(4_000)
      const { read, side, socket } = yield* Effect.provideService(readable(), Budget.Budget, budget)
      read(text(3), () => socket.message("[1]"))
      assert.deepStrictEqual(yield* received(side), ["[1]"])
      assert.strictEqual(budget.taken(), 0)
      // Each part takes 256 bytes beside the read that brought it, which the platform keeps with it.
      read(part(400))
      assert.strictEqual(budget.taken(), 404 + 2 * 256)
      read(ping, () => socket.emit("ping", new Uint8Array(3)))
      assert.strictEqual(budget.taken(), 404 + 2 * 256)
      read(joined(next(1), ping, next(1), next(1)), () => socket.emit("ping", new Uint8Array(3)))
      assert.strictEqual(budget.taken(), 404 + 22 + 6 * 256)
      const last = frame(0x80, 50)
      read(joined(last, text(3), part(1), frame(0x00, 9, 4)), () => socket.message("[2]", "[3]"))
      assert.deepStrictEqual(yield* received(side), ["[2]", "[3]"])
      assert.strictEqual(budget.taken(), 54 + 7 + 5 + 8 + 2 * 256)
      read(joined(new Uint8Array(5), last), () => socket.message("[4]"))
      assert.deepStrictEqual(yield* received(side), ["[4]"])
      assert.strictEqual(budget.taken(), 0)
      read(frame(0x01, 9_999, 3_999 - 4 - 256))
      assert.isFalse(socket.terminated)
      read(new Uint8Array(1))
      assert.isTrue(socket.terminated)
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "BudgetSpent")
      yield* side.close
      assert.strictEqual(budget.taken(), 0)
      read(part(1))
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect("fragments of one byte take what the platform keeps for each", () =>
    Effect.gen(function*() {
      const budget = Budget.make(2_000_000)
      const { read, side, socket } = yield* Effect.provideService(readable(), Budget.Budget, budget)
      read(part(1))
      for (let count = 1; count < 1_000; count++) read(joined(next(1), next(1), next(1), next(1)))
      assert.isAbove(budget.taken(), 4 * 999 * 200)
      read(frame(0x80, 1), () => socket.message("[1]"))
      assert.deepStrictEqual(yield* received(side), ["[1]"])
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect("a close frame is no unfinished message, and what follows it is dropped", () =>
    Effect.gen(function*() {
      const { read, side, socket } = yield* Effect.provideService(readable(), Budget.Budget, Budget.make(1))
      read(joined(frame(0x88, 2), part(100)), () => {
        socket.readyState = 2
      })
      socket.end(1000)
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "EndOfInput")
    }))

  it.effect("a message may take so long to come, and neither pings nor our own waiting count", () =>
    Effect.gen(function*() {
      const { read, side, socket } = yield* readable()
      read(ping, () => socket.emit("ping", new Uint8Array(3)))
      yield* TestClock.adjust("1 hour")
      read(part(100))
      yield* TestClock.adjust("29 seconds")
      read(joined(frame(0x80, 100), part(1)), () => socket.message("x".repeat(100_000)))
      assert.isTrue(socket.isPaused)
      read(next(100))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* received(side)).length, 1)
      read(next(100))
      yield* TestClock.adjust(29_999)
      read(next(100))
      assert.isFalse(socket.terminated)
      yield* TestClock.adjust(1)
      read(ping, () => socket.emit("ping", new Uint8Array(3)))
      assert.isTrue(socket.terminated)
      assert.deepStrictEqual(yield* reasonOf(side.receive), { _tag: "FrameTimeout", milliseconds: 30_000 })
    }))
})
