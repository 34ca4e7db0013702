import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Deferred, Effect, Exit, Stream } from "effect"
import { settled } from "../support/nodes.ts"

describe("a reader that follows a key", () => {
  it.effect("and is busy while the key is dropped ends all the same, also where the key is there again", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      const reading = Effect.fnUntraced(function*(key: string) {
        yield* journal.append(key, "one", 1)
        const busy = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const run = Stream.runForEach(
          journal.follow(key, 0),
          () => Effect.andThen(Deferred.succeed(busy, undefined), Deferred.await(goOn))
        )
        const fiber = yield* Effect.forkChild(run)
        yield* Deferred.await(busy)
        yield* journal.drop(key, 1)
        return { fiber, goOn: Deferred.succeed(goOn, undefined) }
      })
      const [gone, again] = [yield* reading("a"), yield* reading("b")]
      yield* journal.append("b", "another", 1)
      for (const { goOn } of [gone, again]) yield* goOn
      yield* settled
      for (const { fiber } of [gone, again]) assert.deepStrictEqual(fiber.pollUnsafe(), Exit.void)
    }))
})

describe("a journal of memory that is full", () => {
  it.effect("has no last text of a key whose texts had to go for others, however long it keeps texts", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal({ age: Infinity, total: 1_024 })
      yield* journal.append("a", "x".repeat(200), 0)
      yield* journal.append("b", "y".repeat(200), 0)
      assert.isUndefined(yield* journal.last("a"))
      assert.strictEqual((yield* journal.last("b"))?.text, "y".repeat(200))
    }))

  it.effect("takes a text as fast when it has let go of the texts of many keys as when it has of few", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal({ total: 16_777_216 })
      const text = "x".repeat(10_000)
      let key = 0
      /** Milliseconds of the fastest of ten times. */
      const fastest = Effect.gen(function*() {
        let least = Infinity
        for (let times = 0; times < 10; times++) {
          const before = performance.now()
          for (let n = 0; n < 100; n++) yield* journal.append(`${key++}`, text, 1)
          least = Math.min(least, performance.now() - before)
        }
        return least
      })
      yield* fastest
      yield* fastest
      const few = yield* fastest
      for (let times = 0; times < 30; times++) yield* fastest
      assert.isBelow(yield* fastest, 5 * few)
    }))
})
