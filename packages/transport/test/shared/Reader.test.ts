import { assert, describe, it } from "@effect/vitest"
import { type Budget, Reader } from "@parley/transport/shared"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** A reader, and what the budget is told of it. */
const reading = (writeStall: number) => {
  const told: Array<Budget.Unread> = []
  return { told, reader: new Reader.Reader({ unread: (state) => void told.push(state) }, writeStall) }
}

describe("Reader", () => {
  it("a write that waits is given up after all of its time, and the budget is told when it counts as unread", () => {
    const { reader, told } = reading(30_000)
    assert.strictEqual(reader.waits(0), 5_000)
    assert.strictEqual(reader.waits(4_999), 1)
    assert.deepStrictEqual(told, ["waiting", "waiting"])
    assert.strictEqual(reader.waits(5_000), 25_000)
    assert.deepStrictEqual(told, ["waiting", "waiting", "stalled"])
    assert.isUndefined(reader.waits(30_000))
  })

  it("a write whose time is short is given up before it counts as unread", () => {
    for (const writeStall of [5_000, 100]) {
      const { reader, told } = reading(writeStall)
      assert.strictEqual(reader.waits(0), writeStall)
      assert.isUndefined(reader.waits(writeStall))
      assert.deepStrictEqual(told, ["waiting"])
    }
  })

  it("the budget is told of what is added while a write waits, and of the end of the waiting", () => {
    const { reader, told } = reading(30_000)
    reader.gains()
    reader.takes()
    assert.deepStrictEqual(told, [])
    reader.waits(0)
    reader.waits(5_000)
    reader.gains()
    assert.isTrue(reader.isBehind)
    reader.takes()
    reader.takes()
    reader.gains()
    assert.isFalse(reader.isBehind)
    assert.deepStrictEqual(told, ["waiting", "stalled", "stalled", "none"])
    assert.strictEqual(reader.waits(0), 5_000)
  })

  it.effect("a write is watched from where it last made progress", () =>
    Effect.gen(function*() {
      const { reader, told } = reading(30_000)
      const watch = yield* Effect.forkChild(reader.stall, { startImmediately: true })
      const lastAfter = (milliseconds: number) => Effect.map(TestClock.adjust(milliseconds), () => told.at(-1))
      for (const until of [4_999, 1]) {
        yield* TestClock.adjust(until)
        reader.moves()
      }
      assert.notInclude(told, "stalled")
      assert.strictEqual(yield* lastAfter(4_999), "waiting")
      assert.strictEqual(yield* lastAfter(1), "stalled")
      yield* TestClock.adjust(100)
      reader.moves()
      assert.strictEqual(yield* lastAfter(4_999), "waiting")
      assert.strictEqual(yield* lastAfter(1), "stalled")
      yield* TestClock.adjust(24_999)
      assert.isUndefined(watch.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(watch)
    }))
})
