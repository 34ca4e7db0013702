import { assert, describe, it } from "@effect/vitest"
import { KeyedLock } from "@parley/mesh/shared"
import { Deferred, Effect, Exit, Fiber } from "effect"

describe("a lock for each key", () => {
  it.effect("runs one effect of a key at a time, in their order, and those of other keys beside it", () =>
    Effect.gen(function*() {
      const locked = KeyedLock.make()
      const go = yield* Deferred.make<void>()
      const ran: Array<string> = []
      const note = (name: string) => Effect.sync(() => void ran.push(name))
      const first = yield* Effect.forkChild(
        locked("a", Effect.andThen(Deferred.await(go), note("first"))),
        { startImmediately: true }
      )
      const second = yield* Effect.forkChild(locked("a", note("second")), { startImmediately: true })
      yield* locked("b", note("other"))
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(second)
      yield* Fiber.join(first)
      assert.deepStrictEqual(ran, ["other", "first", "second"])
    }))

  it.effect("is free when its holder fails, and where a waiter gives up", () =>
    Effect.gen(function*() {
      const locked = KeyedLock.make()
      assert.isTrue(Exit.isFailure(yield* Effect.exit(locked("a", Effect.fail("no")))))
      const holder = yield* Effect.forkChild(locked("a", Effect.never), { startImmediately: true })
      const waiter = yield* Effect.forkChild(locked("a", Effect.void), { startImmediately: true })
      yield* Fiber.interrupt(waiter)
      yield* Fiber.interrupt(holder)
      assert.strictEqual(yield* locked("a", Effect.succeed("ours")), "ours")
    }))
})
