/** The promises of a conversation over a wire that loses packets, and to a side that has left. */
import { assert, describe, it } from "@effect/vitest"
import { framingOf, type Transport } from "@parley/transport/Transport"
import { Cause, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { transportOf } from "../../src/internal/conversation/Line.ts"
import { ends, patience } from "../support/links.ts"

/** Lets packets arrive. */
const settle = Effect.promise(async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resume) => setImmediate(resume))
})

const reasonOf = (exit: Exit.Exit<unknown, unknown>) => {
  const failure = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined
  return failure instanceof Object && "reason" in failure ? failure.reason : undefined
}

const endOf = (side: Transport) => Effect.map(Effect.exit(side.receive), reasonOf)

const messageOf = (reason: unknown): string =>
  reason instanceof Object && "cause" in reason && reason.cause instanceof Error ? reason.cause.message : String(reason)

describe("a conversation", () => {
  it.effect("has no framing that a dialect could choose", () =>
    Effect.gen(function*() {
      const [near] = yield* ends
      assert.isUndefined(framingOf(yield* transportOf(near.link)))
    }))

  it.effect("ends on both sides when a packet was lost, and gives nothing that came after it", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      yield* left.transport.send(["[1]"])
      left.isLossy = true
      yield* left.transport.send(["[2]"])
      left.isLossy = false
      yield* left.transport.send(["[3]"])
      assert.deepStrictEqual(yield* right.transport.receive, ["[1]"])
      assert.strictEqual(messageOf(yield* endOf(right.transport)), "messages were lost on their way")
      assert.match(messageOf(yield* endOf(left.transport)), /messages were lost on their way$/)
      assert.include(reasonOf(yield* Effect.exit(left.transport.send(["[4]"]))), { _tag: "Lost" })
    }))

  it.effect("finds by a beat that the last packet was lost", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      left.isLossy = true
      yield* left.transport.send(["[1]"])
      left.isLossy = false
      const end = yield* Effect.forkChild(endOf(right.transport))
      // It has sent something in the first beat.
      for (let beat = 0; beat < 2; beat++) {
        yield* TestClock.adjust(patience.interval)
        yield* settle
      }
      assert.strictEqual(messageOf(yield* Fiber.join(end)), "messages were lost on their way")
    }))

  it.effect("goes on after its wire was away, where nothing was lost", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      left.isUp = false
      const sending = yield* Effect.forkChild(left.transport.send(["[1]"]), { startImmediately: true })
      yield* settle
      assert.deepStrictEqual(left.sent, [])
      left.isUp = true
      left.link.resume()
      assert.deepStrictEqual(yield* right.transport.receive, ["[1]"])
      yield* Fiber.join(sending)
      yield* right.transport.send(["[2]"])
      assert.deepStrictEqual(yield* left.transport.receive, ["[2]"])
    }))

  it.effect("ends when the other side is silent for longer than its beat allows", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      right.isLossy = true
      const end = yield* Effect.forkChild(endOf(left.transport))
      const bound = 2 * patience.interval + patience.timeout
      for (let beat = 0; beat * patience.interval < bound + patience.interval; beat++) {
        yield* TestClock.adjust(patience.interval)
        yield* settle
      }
      assert.deepStrictEqual(yield* Fiber.join(end), { _tag: "KeepAlive", milliseconds: bound })
      assert.strictEqual(
        messageOf(yield* endOf(right.transport)),
        "the other side has ended the conversation: nothing was heard for too long"
      )
    }))

  it.effect("goes on for hours while both sides beat", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      for (let beat = 0; beat < 100; beat++) {
        yield* TestClock.adjust(patience.interval)
        yield* settle
      }
      assert.isAbove(left.sent.length, 50)
      yield* left.transport.send(["[1]"])
      assert.deepStrictEqual(yield* right.transport.receive, ["[1]"])
    }))

  it.effect("bears that its process was paused for longer than the other side's silence", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      const beat = Effect.andThen(TestClock.adjust(patience.interval), settle)
      yield* beat
      right.isLossy = true
      yield* Effect.repeat(beat, { times: 1 })
      // Time has passed at once, before anything that came could be read.
      left.paused = 3_600_000
      yield* beat
      right.isLossy = false
      yield* beat
      yield* left.transport.send(["[1]"])
      assert.deepStrictEqual(yield* right.transport.receive, ["[1]"])
    }))

  it.effect("goes on when nobody has heard one beat, and ends when nobody hears the next", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      const beat = Effect.andThen(TestClock.adjust(patience.interval), settle)
      yield* beat
      right.isThere = false
      yield* beat
      right.isThere = true
      yield* beat
      yield* left.transport.send(["[1]"])
      assert.deepStrictEqual(yield* right.transport.receive, ["[1]"])
      yield* settle
      right.isThere = false
      right.isLossy = true
      const end = yield* Effect.forkChild(endOf(left.transport))
      yield* Effect.repeat(beat, { times: 4 })
      right.isThere = true
      assert.strictEqual(messageOf(yield* Fiber.join(end)), "nobody listens")
    }))

  it.effect("gives the other side all that was taken before its end", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      const texts = Array.from({ length: 32 }, (_, index) => JSON.stringify([index, "x".repeat(64 * 1024)]))
      const sending = yield* Effect.forkChild(Effect.forEach(texts, (text) => left.transport.send([text])), {
        startImmediately: true
      })
      const got: Array<unknown> = []
      while (got.length < texts.length - 4) got.push(...yield* right.transport.receive)
      // The last texts fill more than a window, so some of them wait on this side.
      const last = yield* Effect.forkChild(left.transport.send([JSON.stringify("y".repeat(1024 * 1024))]), {
        startImmediately: true
      })
      const closing = yield* Effect.forkChild(left.transport.close, { startImmediately: true })
      const more = Effect.map(right.transport.receive, (received) => void got.push(...received))
      const end = yield* Effect.flip(Effect.forever(more))
      assert.strictEqual(end.reason._tag, "EndOfInput")
      assert.strictEqual(got.length, texts.length + 1)
      yield* Fiber.join(closing)
      yield* Fiber.await(last)
      yield* Fiber.await(sending)
    }))

  it.effect("grants no more than a window to a side that does not read", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      const text = JSON.stringify("x".repeat(1024 * 1024))
      const sending = yield* Effect.forkChild(left.transport.send([text]), { startImmediately: true })
      yield* settle
      const bytes = left.sent.reduce((sum, packet) => sum + packet.bytes.length, 0)
      assert.isAtMost(bytes, 320 * 1024)
      assert.isAtLeast(bytes, 192 * 1024)
      assert.deepStrictEqual(yield* right.transport.receive, [text])
      yield* Fiber.join(sending)
    }))

  it.effect("ends with a side that sends more than was granted", () =>
    Effect.gen(function*() {
      const [left, right] = yield* ends
      const flood = new Uint8Array(64 * 1024)
      const { encode } = yield* Effect.promise(() => import("../../src/internal/conversation/Packet.ts"))
      for (let sequence = 1; sequence < 40; sequence++) right.link.take(encode("data", sequence, 0, flood))
      assert.include(reasonOf(yield* Effect.exit(right.transport.send(["[1]"]))), { _tag: "Unread" })
      assert.match(messageOf(yield* endOf(left.transport)), /bytes came faster than they were read$/)
    }))
})
