import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Socket } from "effect/socket"
import { TestClock } from "effect/testing"
import { type Transport, WebSocketTransport } from "../src/index.ts"
import { Budget } from "../src/shared/index.ts"
import { Extended, Standard } from "./support/webSockets.ts"

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

const reasonOf = <A, R>(effect: Effect.Effect<A, Transport.TransportError, R>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

const over = <S extends Standard>(socket: S, options: WebSocketTransport.WebSocketSocketOptions = {}) =>
  Effect.map(WebSocketTransport.fromWebSocket(socket, options), (side) => ({ side, socket }))

const received = (side: Transport.Transport) => Effect.map(side.receive, (texts) => [...texts])

describe("WebSocketTransport", () => {
  it.effect("texts and UTF-8 bytes are texts, in the order they came, and what is neither is a bad frame", () =>
    Effect.gen(function*() {
      const { side, socket } = yield* over(new Standard())
      assert.strictEqual(socket.binaryType, "arraybuffer")
      const bytes = new TextEncoder().encode("[\"añ\"]")
      socket.message("[1]", bytes.buffer, Uint8Array.from([0xff]).buffer, 7, "[2]")
      assert.deepStrictEqual(yield* received(side), [
        "[1]",
        "[\"añ\"]",
        { _tag: "BadFrame", reason: "InvalidUtf8", excerpt: "\\xff" },
        { _tag: "BadFrame", reason: "NotText", excerpt: "7" },
        "[2]"
      ])
    }))

  it.effect("promise 14: one bad message costs one error reply: too large a one, counted in bytes", () =>
    Effect.gen(function*() {
      for (const socket of [new Standard(), new Extended()]) {
        const { side } = yield* over(socket, { limits: { frame: 6 } })
        socket.message("123456", "ñññ", "1234567", "𝄞𝄞", "[1]")
        const got = yield* received(side)
        assert.deepStrictEqual(got.map((one) => typeof one === "string" ? one : one.reason), [
          "123456",
          "ñññ",
          "TooLarge",
          "TooLarge",
          "[1]"
        ])
      }
      const { side, socket } = yield* over(new Standard(), { limits: { frame: 6 } })
      socket.message(new Uint8Array(7).buffer)
      assert.deepStrictEqual(yield* received(side), [{
        _tag: "BadFrame",
        reason: "TooLarge",
        excerpt: "\\x00".repeat(7)
      }])
    }))

  it.effect("one message per text, of the format that was asked for, and several texts together", () =>
    Effect.gen(function*() {
      let corked = 0
      const together = (sends: () => void) => {
        corked++
        sends()
      }
      const { side, socket } = yield* over(new Standard(), { together })
      yield* side.send(["[1]"])
      yield* side.send(["[2]", "[3]"])
      assert.deepStrictEqual(socket.sent, ["[1]", "[2]", "[3]"])
      assert.strictEqual(corked, 1)
      const binary = yield* over(new Standard(), { format: "binary" })
      yield* binary.side.send(["ñ"])
      assert.deepStrictEqual(binary.socket.sent, [Uint8Array.from([0xc3, 0xb1])])
    }))

  it.effect("promise 18: callers suspend on a full outbox: a send waits until bufferedAmount has fallen", () =>
    Effect.gen(function*() {
      const { side, socket } = yield* over(new Standard())
      socket.bufferedAmount = 64 * 1024
      yield* side.send(["1"])
      socket.bufferedAmount = 64 * 1024 + 1
      const sending = yield* started(side.send(["2"]))
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(sending.pollUnsafe())
      assert.deepStrictEqual(socket.sent, ["1", "2"])
      socket.bufferedAmount = 0
      yield* TestClock.adjust(64)
      yield* Fiber.join(sending)
      socket.bufferedAmount = 1_000_000
      const lost = yield* started(reasonOf(side.send(["3"])))
      socket.end(1006)
      yield* TestClock.adjust(64)
      assert.strictEqual((yield* Fiber.join(lost))._tag, "Lost")
    }))

  it.effect("what is sent when the connection is closing fails, and does not vanish", () =>
    Effect.gen(function*() {
      const { side, socket } = yield* over(new Standard())
      socket.readyState = 2
      assert.strictEqual((yield* reasonOf(side.send(["1"])))._tag, "Lost")
      socket.end(1000)
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "EndOfInput")
      assert.strictEqual((yield* reasonOf(side.send(["1"])))._tag, "Lost")
      assert.deepStrictEqual(socket.sent, [])
      const other = yield* over(new Standard())
      other.socket.end(4001, "token expired")
      const reason = { _tag: "CloseCode", code: 4001, text: "token expired" } as const
      assert.deepStrictEqual(yield* reasonOf(other.side.receive), reason)
      assert.deepStrictEqual(yield* reasonOf(other.side.send(["1"])), reason)
    }))

  it.effect("texts that came before the end are received before it, and the first end stays", () =>
    Effect.gen(function*() {
      const { side, socket } = yield* over(new Standard())
      socket.message("[1]", "[2]")
      socket.fail({ error: new Error("reset") })
      socket.end(1006)
      assert.deepStrictEqual(yield* received(side), ["[1]", "[2]"])
      for (let times = 0; times < 2; times++) {
        const reason = yield* reasonOf(side.receive)
        assert.strictEqual(reason._tag === "Lost" ? String(reason.cause) : reason._tag, "Error: reset")
      }
      yield* side.close
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "Lost")
    }))

  it.effect("with no way to make the other side wait, what lies unread is bounded and ends with Unread", () =>
    Effect.gen(function*() {
      const { side, socket } = yield* over(new Standard(), { limits: { frame: 1_000 } })
      socket.message("x".repeat(400), "x".repeat(400))
      yield* Effect.yieldNow
      assert.deepStrictEqual(socket.closings, [])
      socket.message("x".repeat(400))
      yield* Effect.yieldNow
      assert.deepStrictEqual(socket.closings, [[4008, "too much lies unread"]])
      assert.strictEqual((yield* received(side)).length, 3)
      assert.strictEqual((yield* reasonOf(side.receive))._tag, "Unread")
    }))

  it.effect("with one, the other side waits until it was read", () =>
    Effect.gen(function*() {
      const budget = Budget.make(200_000)
      const { side, socket } = yield* Effect.provideService(over(new Extended()), Budget.Budget, budget)
      socket.message("x".repeat(100_000))
      yield* Effect.yieldNow
      assert.isTrue(socket.isPaused)
      assert.isAtLeast(budget.taken(), 100_000)
      assert.strictEqual((yield* received(side)).length, 1)
      assert.isFalse(socket.isPaused)
      assert.strictEqual(budget.taken(), 0)
      budget.take(200_000)
      socket.message("[1]")
      yield* Effect.yieldNow
      assert.isTrue(socket.isPaused)
      assert.deepStrictEqual(yield* received(side), ["[1]"])
      assert.isFalse(socket.isPaused)
    }))

  it.effect("a WebSocket that was handed out paused is read from now on", () =>
    Effect.gen(function*() {
      const paused = new Extended()
      paused.pause()
      yield* over(paused)
      assert.isFalse(paused.isPaused)
    }))

  it.effect("closing says 1000 once, waits for the answer, and leaves no listener behind", () =>
    Effect.gen(function*() {
      for (const socket of [new Standard(), new Extended()]) {
        const { side } = yield* over(socket)
        const reader = yield* started(reasonOf(side.receive))
        assert.isAbove(socket.listening, 0)
        yield* Effect.all([side.close, side.close], { concurrency: 2 })
        assert.deepStrictEqual(socket.closings, [[1000, undefined]])
        assert.strictEqual(socket.listening, 0)
        assert.strictEqual((yield* Fiber.join(reader))._tag, "Closed")
      }
    }))

  it.effect("closing waits while what was sent goes out, and no longer than a second without progress", () =>
    Effect.gen(function*() {
      for (const socket of [new Standard(), new Extended()]) {
        socket.answers = false
        socket.bufferedAmount = 10
        const { side } = yield* over(socket, { keepAlive: false })
        const closing = yield* started(side.close)
        for (let second = 1; second <= 5; second++) {
          socket.bufferedAmount--
          yield* TestClock.adjust("1 second")
          assert.isUndefined(closing.pollUnsafe())
        }
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(closing)
        assert.strictEqual(socket.listening, 0)
        if (socket instanceof Extended) assert.isTrue(socket.terminated)
      }
    }))

  it.effect("promise 21: no timer without need: pings while it is silent, none after its end, none where it is off", () =>
    Effect.gen(function*() {
      const { side, socket } = yield* over(new Extended())
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(socket.pings, 0)
      socket.message("[1]")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(socket.pings, 0)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(socket.pings, 1)
      socket.emit("pong")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(socket.pings, 2)
      socket.emit("pong")
      yield* side.close
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(socket.pings, 2)
      const off = yield* over(new Extended(), { keepAlive: false })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(off.socket.pings, 0)
    }))

  it.effect("a silence after a ping is the end, but not while we read nothing or it still reads what we sent", () =>
    Effect.gen(function*() {
      const keepAlive = { interval: "1 second", timeout: "2 seconds" } as const
      const { side, socket } = yield* over(new Extended(), { keepAlive })
      const sending = yield* started(reasonOf(side.receive))
      socket.bufferedAmount = 10
      yield* TestClock.adjust("1 second")
      socket.bufferedAmount = 5
      yield* TestClock.adjust("2 seconds")
      assert.isUndefined(sending.pollUnsafe())
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* Fiber.join(sending), { _tag: "KeepAlive", milliseconds: 2_000 })
      assert.isTrue(socket.terminated)
      assert.strictEqual(socket.listening, 0)
      const slow = yield* over(new Extended(), { keepAlive })
      slow.socket.message("x".repeat(100_000))
      yield* TestClock.adjust("1 hour")
      assert.isTrue(slow.socket.isPaused)
      assert.isFalse(slow.socket.terminated)
    }))

  it.effect("opening waits for the connection, and fails with Open", () =>
    Effect.gen(function*() {
      const socket = new Standard(0)
      const opening = yield* started(over(socket))
      assert.isUndefined(opening.pollUnsafe())
      socket.open()
      yield* Effect.flatMap(Fiber.join(opening), ({ side }) => side.send(["1"]))
      assert.deepStrictEqual(socket.sent, ["1"])

      const failing = new Standard(0)
      const failed = yield* started(reasonOf(over(failing)))
      failing.fail({ message: "non-101 status code" })
      failing.end(1006)
      const reason = yield* Fiber.join(failed)
      assert.strictEqual(reason._tag === "Open" ? String(reason.cause) : reason._tag, "Error: non-101 status code")

      const silent = new Standard(0)
      const late = yield* started(reasonOf(Effect.scoped(over(silent))))
      yield* TestClock.adjust(9_999)
      assert.isUndefined(late.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(late))._tag, "Open")
      assert.strictEqual(silent.listening, 0)
      assert.strictEqual((yield* reasonOf(over(new Standard(3))))._tag, "Open")
    }))

  it.effect("a client asks its platform for the WebSocket, and a platform that refuses is Open", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const constructor = Socket.WebSocketConstructor.of((url, options) => {
        asked.push([url, options])
        if (url === "none") throw new SyntaxError("Invalid URL")
        return new Standard()
      })
      const open = (options: WebSocketTransport.WebSocketTransportOptions) =>
        Effect.provideService(WebSocketTransport.make(options), Socket.WebSocketConstructor, constructor)
      yield* open({ url: "ws://a" })
      yield* open({ url: "ws://b", protocols: ["p"] })
      yield* open({ url: "ws://c", protocols: ["p"], headers: { a: "1" } })
      assert.deepStrictEqual(asked, [
        ["ws://a", undefined],
        ["ws://b", ["p"]],
        ["ws://c", { protocols: ["p"], headers: { a: "1" } }]
      ])
      assert.strictEqual((yield* reasonOf(open({ url: "none" })))._tag, "Open")
    }))
})
