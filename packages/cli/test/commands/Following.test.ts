import { assert, describe, it } from "@effect/vitest"
import type { DisconnectReason } from "@parley/peer/Caller"
import type { Call } from "@parley/peer/Handler"
import { Deferred, Duration, Effect, Exit, Fiber, Latch, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Following from "../../src/internal/commands/Following.ts"

/** A notification of a number; nothing else of a call is read. */
const tick = (at: number) => ({ id: undefined, method: "tick", params: [at] }) as unknown as Call

const following = Effect.gen(function*() {
  const shown: Array<unknown> = []
  const open = yield* Latch.make(true)
  const made = yield* Following.make(({ params }) =>
    Effect.andThen(open.await, Effect.sync(() => void shown.push(...Array.isArray(params) ? params : [])))
  )
  return { ...made, shown, open }
})

describe("what follows a call", () => {
  it.effect("waits in a bounded queue, and then holds back the other side", () =>
    Effect.gen(function*() {
      const { fallback } = yield* following
      const told = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, at) => at),
        (at) => Effect.forkChild(fallback(tick(at)), { startImmediately: true })
      )
      assert.strictEqual(told.filter((fiber) => fiber.pollUnsafe() !== undefined).length, 16)
      yield* Effect.forEach(told, Fiber.interrupt)
    }))

  it.effect("is shown in its order, and all of it before the end, also where showing is slow", () =>
    Effect.gen(function*() {
      const { after, during, fallback, open, shown } = yield* following
      const answered = yield* Deferred.make<string>()
      const call = yield* Effect.forkChild(during(Deferred.await(answered)), { startImmediately: true })
      yield* fallback(tick(1))
      yield* fallback(tick(2))
      yield* open.close
      yield* fallback(tick(3))
      yield* Effect.yieldNow
      yield* fallback(tick(4))
      yield* Deferred.succeed(answered, "result")
      yield* open.open
      assert.strictEqual(yield* Fiber.join(call), "result")
      assert.deepStrictEqual(shown, [1, 2, 3, 4])
      yield* fallback(tick(5))
      const reason = yield* after(Effect.succeed({ _tag: "EndOfInput" }), undefined)
      assert.deepStrictEqual([shown, reason], [[1, 2, 3, 4, 5], { _tag: "EndOfInput" }])
    }))

  it.effect("is shown before the failure of the call, also what had no room in the queue", () =>
    Effect.gen(function*() {
      const { during, fallback, shown } = yield* following
      const ticks = Array.from({ length: 40 }, (_, at) => at)
      const failing = Effect.andThen(
        Effect.forEach(ticks, (at) => Effect.forkDetach(fallback(tick(at)), { startImmediately: true })),
        Effect.fail("refused")
      )
      assert.strictEqual(yield* Effect.flip(during(failing)), "refused")
      assert.deepStrictEqual(shown, ticks)
    }))

  it.effect("keeps no result back, although it goes on without an end", () =>
    Effect.gen(function*() {
      const made: Following.Following = yield* Following.make(() => Effect.suspend(() => Effect.ignore(again)))
      const again = made.fallback(tick(1))
      yield* again
      assert.strictEqual(yield* made.during(Effect.succeed("result")), "result")
    }))

  it.effect("is shown where the connection ends at the same time", () =>
    Effect.gen(function*() {
      for (const idle of [undefined, Duration.seconds(5)]) {
        const { after, fallback, shown } = yield* following
        const closed = yield* Deferred.make<DisconnectReason>()
        const ended = yield* Effect.forkChild(after(Deferred.await(closed), idle), { startImmediately: true })
        yield* Effect.yieldNow
        yield* fallback(tick(1))
        yield* Deferred.succeed(closed, { _tag: "EndOfInput" })
        yield* Fiber.join(ended)
        assert.deepStrictEqual(shown, [1])
      }
    }))

  it.effect("ends when nothing has come for a time", () =>
    Effect.gen(function*() {
      const { after, fallback, shown } = yield* following
      const ended = yield* Effect.forkChild(after(Effect.never, Duration.seconds(5)), { startImmediately: true })
      yield* TestClock.adjust("4 seconds")
      yield* fallback(tick(1))
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual([shown, ended.pollUnsafe()], [[1], undefined])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(ended), undefined)
    }))

  it.effect("is no request: those are refused", () =>
    Effect.gen(function*() {
      const { fallback } = yield* following
      const exit = yield* Effect.exit(fallback({ ...tick(1), id: 1 }))
      assert.strictEqual(Option.getOrUndefined(Exit.findErrorOption(exit))?.code, -32601)
    }))
})
