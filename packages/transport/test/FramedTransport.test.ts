import { assert, describe, it } from "@effect/vitest"
import { Framing } from "@parley/protocol"
import { FramedTransport } from "@parley/transport"
import { Budget, Direct } from "@parley/transport/shared"
import { Cause, Clock, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Wire from "./support/wire.ts"

const open = (options: Partial<FramedTransport.FramedTransportOptions> = {}) =>
  Effect.gen(function*() {
    const wire = Wire.make()
    const transport = yield* FramedTransport.fromBytes(wire, { framing: Framing.line, ...options })
    return { wire, transport }
  })

type Opened = Effect.Success<ReturnType<typeof open>>

describe("FramedTransport", () => {
  it.effect("gives the texts of all chunks of a pull", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open()
      yield* wire.bring("{}\n[", "1]\n2\n")
      assert.deepStrictEqual([...(yield* transport.receive)], ["{}", "[1]", "2"])
    }))

  it.effect("waits on when bytes complete no text", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open()
      const reader = yield* Effect.forkChild(transport.receive, { startImmediately: true })
      yield* wire.bring("{")
      yield* wire.bring("}")
      assert.isUndefined(reader.pollUnsafe())
      yield* wire.bring("\n")
      assert.deepStrictEqual([...(yield* Fiber.join(reader))], ["{}"])
    }))

  it.effect("promise 5: a frame beyond its limit is never buffered: it is a bad frame, and the stream goes on", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open({ limits: { frame: 8 } })
      yield* wire.bring(`${"x".repeat(50)}`)
      yield* wire.bring(`${"x".repeat(50)}\n{}\n`)
      const [bad, text] = yield* transport.receive
      assert.strictEqual(typeof bad === "string" ? bad : bad.reason, "TooLarge")
      assert.strictEqual(text, "{}")
    }))

  it.effect("writes the texts of a send in one go", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open()
      yield* transport.send(["1", "2", "3"])
      assert.deepStrictEqual(wire.written, ["1\n2\n3\n"])
    }))

  it.effect("promise 6: a foreign protocol is closed and runs nothing: no text of it is received", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open()
      yield* wire.bring("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n{\"id\":1}\n")
      const first = yield* Wire.reasonOf(transport.receive)
      const again = yield* Wire.reasonOf(transport.receive)
      assert.strictEqual(first._tag, "ForeignProtocol")
      assert.deepStrictEqual(again, first)
    }))

  it.effect("promise 14: one bad message costs one error reply, a lost place the stream, after the frames before it", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open({ framing: Framing.contentLength })
      yield* wire.bring("Content-Length: 2\r\n\r\n{}Content-Length: many\r\n\r\n{}")
      assert.deepStrictEqual([...(yield* transport.receive)], ["{}"])
      const reason = yield* Wire.reasonOf(transport.receive)
      assert(reason._tag === "LostPlace")
      assert.isAtLeast(reason.offset, 23)
      assert.include(reason.excerpt, "many")
      assert.deepStrictEqual(yield* Wire.reasonOf(transport.receive), reason)
    }))

  it.effect("promise 14: one bad message costs one error reply, a lost place the stream, whatever came with it behind", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open({ framing: Framing.concatenated })
      yield* wire.bring(`{"a":1}\n`)
      assert.deepStrictEqual([...(yield* transport.receive)], [`{"a":1}`])
      yield* wire.bring("{}?", "{}", "[]")
      assert.deepStrictEqual([...(yield* transport.receive)], ["{}"])
      const reason = yield* Wire.reasonOf(transport.receive)
      assert.strictEqual(reason._tag, "LostPlace")
    }))

  it.effect("promise 19: end of input drains: it comes last, and what is sent then is written", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open()
      yield* wire.bring("1\n2")
      yield* wire.endWith({ _tag: "EndOfInput" })
      assert.deepStrictEqual([...(yield* transport.receive)], ["1"])
      assert.deepStrictEqual([...(yield* transport.receive)], ["2"])
      assert.deepStrictEqual(yield* Wire.reasonOf(transport.receive), { _tag: "EndOfInput" })
      assert.deepStrictEqual(yield* Wire.reasonOf(transport.receive), { _tag: "EndOfInput" })
      yield* transport.send(["3"])
      assert.deepStrictEqual(wire.written, ["3\n"])
    }))

  it.effect("an input that ends inside a frame is a lost place", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open({ framing: Framing.contentLength })
      yield* wire.bring("Content-Length: 20\r\n\r\n{}")
      yield* wire.endWith({ _tag: "EndOfInput" })
      assert.strictEqual((yield* Wire.reasonOf(transport.receive))._tag, "LostPlace")
    }))

  it.effect("a loss fails every later receive and send the same way", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open()
      yield* wire.endWith({ _tag: "Lost", cause: new Error("reset") })
      const first = yield* Wire.reasonOf(transport.receive)
      assert.strictEqual(first._tag, "Lost")
      assert.strictEqual(yield* Wire.reasonOf(transport.receive), first)
      assert.strictEqual(yield* Wire.reasonOf(transport.send(["1"])), first)
      assert.deepStrictEqual(wire.written, [])
    }))

  it.effect("promise 9: closing ends every call with Disconnected: the reader that waits and every later call fail", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open()
      const reader = yield* Effect.forkChild(Effect.flip(transport.receive), { startImmediately: true })
      yield* Effect.all([transport.close, transport.close], { concurrency: 2 })
      yield* transport.close
      assert.strictEqual((yield* Fiber.join(reader)).reason._tag, "Closed")
      assert.strictEqual((yield* Wire.reasonOf(transport.send(["1"])))._tag, "Closed")
      assert.strictEqual(wire.closings(), 1)
    }))

  it.effect("one reader: a second one at the same time is a defect, and the first goes on", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open()
      const reader = yield* Effect.forkChild(transport.receive, { startImmediately: true })
      const second = yield* Effect.forkChild(Effect.exit(transport.receive), { startImmediately: true })
      const exit = second.pollUnsafe()
      assert(exit !== undefined && Exit.isSuccess(exit) && Exit.isFailure(exit.value))
      assert.isTrue(Cause.hasDies(exit.value.cause))
      yield* wire.bring("{}\n")
      assert.deepStrictEqual([...(yield* Fiber.join(reader))], ["{}"])
    }))

  it.effect("closes with its Scope", () =>
    Effect.gen(function*() {
      const { wire } = yield* Effect.scoped(open())
      assert.strictEqual(wire.closings(), 1)
    }))
})

describe("Limits.budget", () => {
  const inShareOf = (budget: Budget.Budget) =>
    Effect.suspend(() => open().pipe(Effect.provideService(Budget.Budget, budget.share())))

  it.effect("is shared by the unfinished frames of all connections, and given back", () =>
    Effect.gen(function*() {
      const budget = Budget.make(100)
      yield* Effect.gen(function*() {
        const one = yield* inShareOf(budget)
        const other = yield* inShareOf(budget)
        const reader = yield* Effect.forkChild(one.transport.receive, { startImmediately: true })
        yield* one.wire.bring(`"${"x".repeat(49)}`)
        assert.strictEqual(budget.taken(), 50)
        yield* other.wire.bring(`{}\n"${"y".repeat(59)}`)
        assert.deepStrictEqual([...(yield* other.transport.receive)], ["{}"])
        const error = yield* Effect.flip(other.transport.receive)
        assert.strictEqual(error.reason._tag, "BudgetSpent")
        yield* one.wire.bring(`"\n`)
        assert.deepStrictEqual([...(yield* Fiber.join(reader))], [`"${"x".repeat(49)}"`])
      }).pipe(Effect.scoped)
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect("a frame that needs room ends the heaviest connection, which is told and closed, and goes on", () =>
    Effect.gen(function*() {
      const budget = Budget.make(100)
      const heavy = yield* inShareOf(budget)
      const light = yield* inShareOf(budget)
      const held = yield* Effect.forkChild(Effect.flip(heavy.transport.receive), { startImmediately: true })
      yield* heavy.wire.bring(`"${"x".repeat(89)}`)
      const reader = yield* Effect.forkChild(light.transport.receive, { startImmediately: true })
      yield* light.wire.bring(`"${"y".repeat(19)}`)
      assert.strictEqual((yield* Fiber.join(held)).reason._tag, "BudgetSpent")
      assert.strictEqual((yield* Wire.reasonOf(heavy.transport.send(["1"])))._tag, "BudgetSpent")
      assert.strictEqual(heavy.wire.closings(), 1)
      yield* light.wire.bring(`"\n`)
      assert.deepStrictEqual([...(yield* Fiber.join(reader))], [`"${"y".repeat(19)}"`])
      assert.strictEqual(light.wire.closings(), 0)
    }))
})

describe("Limits.partialFrame", () => {
  it.effect("a frame that begins and does not end is a FrameTimeout, and closes the bytes", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open()
      const reader = yield* Effect.forkChild(Effect.flip(transport.receive), { startImmediately: true })
      yield* wire.bring("{\"slow")
      yield* TestClock.adjust(29_999)
      assert.isUndefined(reader.pollUnsafe())
      yield* TestClock.adjust(1)
      const { reason } = yield* Fiber.join(reader)
      assert.deepStrictEqual(reason, { _tag: "FrameTimeout", milliseconds: 30_000 })
      assert.strictEqual(wire.closings(), 1)
      assert.deepStrictEqual(yield* Wire.reasonOf(transport.receive), reason)
      assert.deepStrictEqual(yield* Wire.reasonOf(transport.send(["1"])), reason)
    }))

  it.effect("more bytes of the same frame do not buy time", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open({ limits: { partialFrame: 1_000 } })
      const reader = yield* Effect.forkChild(Effect.flip(transport.receive), { startImmediately: true })
      for (let index = 0; index < 10; index++) {
        yield* wire.bring("x")
        yield* TestClock.adjust(100)
      }
      assert.strictEqual((yield* Fiber.join(reader)).reason._tag, "FrameTimeout")
    }))

  it.effect("each frame has its own time, however many come", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open({ limits: { partialFrame: 1_000 } })
      yield* wire.bring("{\"a\"")
      for (let index = 0; index < 10; index++) {
        const reader = yield* Effect.forkChild(transport.receive, { startImmediately: true })
        yield* TestClock.adjust(900)
        yield* wire.bring(":1}\n{\"a\"")
        assert.deepStrictEqual([...(yield* Fiber.join(reader))], ["{\"a\":1}"])
      }
      const reader = yield* Effect.forkChild(Effect.flip(transport.receive), { startImmediately: true })
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* Fiber.join(reader)).reason._tag, "FrameTimeout")
    }))

  it.effect("the time runs only while somebody waits for the rest", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open({ limits: { partialFrame: 1_000 } })
      yield* wire.bring("1\n{\"a\"")
      assert.deepStrictEqual([...(yield* transport.receive)], ["1"])
      yield* TestClock.adjust(60_000)
      const reader = yield* Effect.forkChild(transport.receive, { startImmediately: true })
      yield* TestClock.adjust(999)
      yield* wire.bring(":1}\n")
      assert.deepStrictEqual([...(yield* Fiber.join(reader))], ["{\"a\":1}"])
    }))

  it.effect("promise 21: no timer without need: whole frames and an idle stream start none", () =>
    Effect.gen(function*() {
      let sleeps = 0
      const clock = yield* TestClock.testClockWith((clock) => Effect.succeed(clock))
      yield* Effect.gen(function*() {
        const { transport, wire } = yield* open()
        for (let index = 0; index < 100; index++) {
          yield* wire.bring("{}\n")
          yield* transport.receive
        }
        yield* Effect.forkChild(transport.receive, { startImmediately: true })
        assert.strictEqual(sleeps, 0)
        for (let index = 0; index < 100; index++) yield* wire.bring("{", "}")
        assert.strictEqual(sleeps, 1)
      }).pipe(Effect.provideService(Clock.Clock, {
        ...clock,
        sleep: (duration) =>
          Effect.suspend(() => {
            sleeps++
            return clock.sleep(duration)
          })
      }))
    }))

  it.effect("the framing is chosen once, for what is read and what is written", () =>
    Effect.gen(function*() {
      const wire = Wire.make()
      const { framing, receive, send } = yield* FramedTransport.fromBytes(wire, {})
      assert.strictEqual(framing?.name, "line")
      framing?.choose("contentLength")
      framing?.choose("concatenated")
      assert.strictEqual(framing?.name, "contentLength")
      yield* send(["{}"])
      assert.deepStrictEqual(wire.written, ["Content-Length: 2\r\n\r\n{}"])
      yield* wire.bring("Content-Length: 2\r\n\r\n[]")
      assert.deepStrictEqual(yield* receive, ["[]"])
    }))

  it.effect("promise 5: a frame beyond its limit is never buffered: in a framing that was chosen", () =>
    Effect.gen(function*() {
      const { transport, wire } = yield* open({ framing: undefined, limits: { frame: 8 } })
      transport.framing?.choose("contentLength")
      yield* wire.bring(`Content-Length: 9\r\n\r\n${"x".repeat(9)}`)
      const [bad] = yield* transport.receive
      assert.strictEqual(typeof bad === "string" ? bad : bad.reason, "TooLarge")
    }))

  it.effect("a framing of one's own joins by itself, and is shared as one", () =>
    Effect.gen(function*() {
      class Semicolons {
        readonly name = "none"
        readonly end = ";"
        readonly splitter = Framing.line.splitter
        join(texts: ReadonlyArray<string>) {
          return new TextEncoder().encode(texts.map((text) => text + this.end).join(""))
        }
      }
      const { transport, wire } = yield* open({ framing: new Semicolons() })
      yield* transport.send(["1", "2"])
      const joined = Direct.joinedOf(transport)
      yield* joined?.write(joined.framing.join(["3"])) ?? Effect.void
      assert.deepStrictEqual(wire.written, ["1;2;", "3;"])
    }))

  it.effect("a framing that is given stays", () =>
    Effect.gen(function*() {
      const { transport: { framing, send }, wire } = yield* open()
      framing?.choose("contentLength")
      yield* send(["{}"])
      assert.deepStrictEqual(wire.written, ["{}\n"])
    }))

  for (
    const [what, use] of Object.entries({
      read: ({ transport, wire }: Opened) => Effect.andThen(wire.bring("1\n"), transport.receive),
      written: ({ transport }: Opened) => transport.send(["1"])
    })
  ) {
    it.effect(`what was read or written has chosen the framing of all that follows: ${what}`, () =>
      Effect.gen(function*() {
        const opened = yield* open({ framing: undefined })
        yield* use(opened)
        opened.transport.framing?.choose("contentLength")
        opened.wire.written.length = 0
        yield* opened.transport.send(["2"])
        yield* opened.wire.bring("3\n")
        assert.deepStrictEqual(opened.wire.written, ["2\n"])
        assert.deepStrictEqual(yield* opened.transport.receive, ["3"])
      }))
  }
})
