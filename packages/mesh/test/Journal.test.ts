import { assert, describe, it } from "@effect/vitest"
import * as KeyValueJournal from "@parley/mesh/KeyValueJournal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Effect, Fiber, Stream } from "effect"
import { KeyValueStore } from "effect/persistence"
import { TestClock } from "effect/testing"
import { gap } from "../../conformance/src/internal/journal/tiling.ts"
import { settled } from "./support/nodes.ts"

describe("a journal in memory", () => {
  it.effect("of many keys is bounded, and those that were written to longest ago go first", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal({ total: 2_000 })
      for (const key of ["a", "b", "c", "d"]) yield* journal.append(key, "x".repeat(200), 0)
      assert.deepStrictEqual(yield* journal.read("a", 0), [gap(0, 2)])
      assert.strictEqual((yield* journal.read("d", 0)).length, 1)
      // It is known how many there were, until there are too many keys.
      assert.strictEqual(yield* journal.append("a", "x", 0), 2)
      for (let n = 0; n < 100; n++) yield* journal.append(`k${n}`, "", 0)
      assert.deepStrictEqual(yield* journal.read("d", 0), [])
    }))

  it.effect("refuses an older epoch of a key that it has forgotten for others", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal({ total: 2_000, age: 60_000 })
      yield* journal.append("full", "x", 3)
      for (let n = 0; n < 100; n++) yield* journal.append(`k${n}`, "", 0)
      assert.deepStrictEqual(yield* journal.read("full", 0), [])
      yield* journal.fence("old", 3)
      yield* TestClock.adjust("2 minutes")
      yield* journal.append("other", "", 0)
      for (const key of ["full", "old"]) {
        assert.deepInclude(yield* Effect.flip(journal.append(key, "x", 2)), { _tag: "Fenced", newest: 3 })
        assert.strictEqual(yield* journal.append(key, "x", 3), 1)
      }
    }))

  it.effect("holds nothing for those who wait for a key that is never written", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      const reading = yield* Effect.forkChild(Stream.runDrain(journal.follow("k", 0)))
      yield* settled
      yield* Fiber.interrupt(reading)
      assert.deepStrictEqual(yield* journal.read("k", 0), [])
    }))
})

describe("a journal in a KeyValueStore that fails", () => {
  it.effect("says so", () =>
    Effect.gen(function*() {
      const broken = () => Effect.fail(new KeyValueStore.KeyValueStoreError({ method: "get", message: "broken" }))
      const store = KeyValueStore.makeStringOnly(
        // The test asks for nothing that it does not do.
        { get: broken, set: broken, remove: broken, clear: broken(), size: broken() } as never
      )
      const error = yield* Effect.flip((yield* KeyValueJournal.make(store)).append("k", "a", 0))
      assert.strictEqual(error._tag, "Overloaded")
      assert.include(error.message, "broken")
    }))
})
