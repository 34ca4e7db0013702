import { assert, describe, it } from "@effect/vitest"
import { Limits } from "@parley/protocol"
import { Budget } from "@parley/transport/shared"
import { Cause, Effect, Exit, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as OutgoingBody from "../../src/internal/server/OutgoingBody.ts"

const KiB = 1024
const large = 200 * KiB

/** A body of an answer on a budget, whose host takes a piece for each that it is let, and how it ended. */
const making = Effect.fnUntraced(function*(budget: Budget.Budget) {
  const context = yield* Effect.context<never>()
  const limits = Limits.make()
  let interrupted = 0
  const interrupt = Effect.sync(() => {
    interrupted++
    body.close()
  })
  const body: OutgoingBody.OutgoingBody = yield* OutgoingBody.make({ budget, limits, context, interrupt })
  const room = yield* Queue.unbounded<void>()
  const taken: Array<Uint8Array> = []
  const host = yield* Effect.forkChild(
    Effect.andThen(
      Queue.take(room),
      Stream.runForEach(body.stream, (piece) => {
        taken.push(piece)
        return Queue.take(room)
      })
    ),
    { startImmediately: true }
  )
  return {
    body,
    host,
    taken,
    interrupted: () => interrupted,
    take: (count: number) =>
      Effect.andThen(
        Effect.sync(() => {
          for (let left = count; left > 0; left--) Queue.offerUnsafe(room, undefined)
        }),
        TestClock.adjust(0)
      )
  }
})

const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, index) => index % 251)
const joined = (pieces: ReadonlyArray<Uint8Array>) => new Uint8Array(Buffer.concat(pieces))

describe("the body of an answer", () => {
  it.effect("counts a large text until the host has taken all of it, and gives it in pieces", () =>
    Effect.gen(function*() {
      const budget = Budget.make(10 * large)
      const { body, host, take, taken } = yield* making(budget)
      yield* body.write(bytesOf(large))
      yield* body.end
      assert.strictEqual(budget.taken(), large)
      yield* take(4)
      assert.deepStrictEqual(taken.map(({ length }) => length / KiB), [64, 64, 64, 8])
      // The last piece is not written.
      assert.strictEqual(budget.taken(), large)
      yield* take(1)
      assert.strictEqual(budget.taken(), 0)
      yield* Fiber.join(host)
      assert.deepStrictEqual(joined(taken), bytesOf(large))
    }))

  it.effect("keeps the order of texts, small and large, and counts only these", () =>
    Effect.gen(function*() {
      const budget = Budget.make(10 * large)
      const { body, host, take, taken } = yield* making(budget)
      const texts = [bytesOf(3), bytesOf(large), bytesOf(5), bytesOf(large)]
      const writing = yield* Effect.forkChild(
        Effect.forEach(texts, (text) => body.write(text), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      assert.strictEqual(budget.taken(), 2 * large)
      yield* take(6)
      assert.strictEqual(budget.taken(), large)
      yield* Fiber.join(writing)
      yield* body.end
      yield* take(5)
      yield* Fiber.join(host)
      assert.deepStrictEqual(joined(taken), joined(texts))
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect("promise 8: an interrupted or timed-out call leaves nothing behind: a writer gives back what it was to write", () =>
    Effect.gen(function*() {
      const budget = Budget.make(10 * large)
      const { body } = yield* making(budget)
      yield* body.write(bytesOf(large))
      const second = yield* Effect.forkChild(body.write(bytesOf(large)), { startImmediately: true })
      assert.strictEqual(budget.taken(), 2 * large)
      yield* Fiber.interrupt(second)
      assert.strictEqual(budget.taken(), large)
      body.close()
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect.each(
    [
      ["has ended", (body: OutgoingBody.OutgoingBody) => body.end],
      ["has failed", (body: OutgoingBody.OutgoingBody) => Effect.sync(() => body.fail(Cause.die("gone")))],
      ["is closed", (body: OutgoingBody.OutgoingBody) => Effect.sync(() => body.close())]
    ] as const
  )(
    "promise 8: an interrupted or timed-out call leaves nothing behind: a text that is written when the body %s counts nothing, and ends no other",
    ([, end]) =>
      Effect.gen(function*() {
        const budget = Budget.make(large)
        const [{ body, interrupted }, other] = [yield* making(budget), yield* making(budget)]
        yield* other.body.write(bytesOf(large))
        yield* end(body)
        yield* body.write(bytesOf(large))
        assert.strictEqual(budget.taken(), large)
        other.body.close()
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual([interrupted(), other.interrupted()], [0, 0])
      })
  )

  it.effect("breaks off where the budget is spent and the host has taken nothing for a while, and no other does", () =>
    Effect.gen(function*() {
      const budget = Budget.make(2 * large)
      const stalled = yield* making(budget)
      const slow = yield* making(budget)
      // The slow one is the heaviest.
      yield* slow.body.write(bytesOf(large + 1))
      yield* stalled.body.write(bytesOf(large))
      yield* slow.take(1)
      yield* stalled.take(1)
      yield* TestClock.adjust(4_999)
      yield* slow.take(1)
      assert.strictEqual(stalled.interrupted(), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(stalled.interrupted(), 1)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(stalled.host)))
      yield* slow.body.end
      yield* slow.take(3)
      yield* Fiber.join(slow.host)
      assert.deepStrictEqual(joined(slow.taken), bytesOf(large + 1))
      assert.strictEqual(slow.interrupted(), 0)
      assert.strictEqual(budget.taken(), 0)
    }))

  it.effect("breaks off what others outweigh, before its host has taken anything", () =>
    Effect.gen(function*() {
      const budget = Budget.make(2 * large)
      const [first, second, third] = [yield* making(budget), yield* making(budget), yield* making(budget)]
      yield* first.body.write(bytesOf(large + 1))
      yield* second.body.write(bytesOf(large))
      yield* third.body.write(bytesOf(large))
      assert.deepStrictEqual([first, second, third].map(({ interrupted }) => interrupted()), [1, 0, 0])
      assert.strictEqual(budget.taken(), 2 * large)
      yield* first.take(1)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(first.host)))
      assert.deepStrictEqual(first.taken, [])
    }))

  it.effect("breaks off when its host takes nothing for `writeStall`", () =>
    Effect.gen(function*() {
      const { writeStall } = Limits.defaults
      const { body, host, interrupted, take } = yield* making(Budget.make(10 * large))
      yield* body.write(bytesOf(large))
      yield* take(1)
      // Taken while it counts as stalled.
      yield* TestClock.adjust(writeStall - 1)
      yield* take(1)
      yield* TestClock.adjust(writeStall - 1)
      assert.strictEqual(interrupted(), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(interrupted(), 1)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(host)))
    }))

  it.effect("goes on where its host takes something now and then, also of what it wrote before a large text", () =>
    Effect.gen(function*() {
      const { body, interrupted, take, taken } = yield* making(Budget.make(10 * large))
      yield* take(1)
      const texts = [bytesOf(60 * KiB), bytesOf(10), bytesOf(large)]
      yield* Effect.forkChild(Effect.forEach(texts, (text) => body.write(text)), { startImmediately: true })
      for (let piece = 0; piece < 5; piece++) {
        yield* TestClock.adjust(Limits.defaults.writeStall - 1)
        yield* take(1)
      }
      assert.deepStrictEqual(taken.map(({ length }) => length), [60, 10 / KiB, 64, 64, 64, 8].map((kib) => kib * KiB))
      assert.strictEqual(interrupted(), 0)
    }))

  it.effect("promise 21: no timer without need: small texts, and what has been taken, need none", () =>
    Effect.gen(function*() {
      const { body, interrupted, take } = yield* making(Budget.make(10 * large))
      yield* body.write(bytesOf(large))
      yield* take(5)
      yield* body.write(bytesOf(10))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(interrupted(), 0)
    }))
})
