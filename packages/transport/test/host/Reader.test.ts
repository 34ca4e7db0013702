import { assert, describe, it } from "@effect/vitest"
import { type Budget, Reader } from "@parley/transport"

/** A reader, and what the budget is told of it. */
const reading = (writeStall: number) => {
  const told: Array<Budget.Unread> = []
  return { told, reader: new Reader.Reader({ unread: (state) => void told.push(state) }, writeStall) }
}

describe("Reader", () => {
  it("a write that waits is given up after all of its time, and the budget is told when it counts as unread", () => {
    const { reader, told } = reading(30_000)
    assert.strictEqual(reader.waits(), 5_000)
    assert.deepStrictEqual(told, ["waiting"])
    assert.strictEqual(reader.stillWaits(), 25_000)
    assert.deepStrictEqual(told, ["waiting", "stalled"])
    assert.isUndefined(reader.stillWaits())
  })

  it("a write whose time is short is given up before it counts as unread", () => {
    for (const writeStall of [5_000, 100]) {
      const { reader, told } = reading(writeStall)
      assert.strictEqual(reader.waits(), writeStall)
      assert.isUndefined(reader.stillWaits())
      assert.deepStrictEqual(told, ["waiting"])
    }
  })

  it("the budget is told of what is added while a write waits, and of the end of the waiting", () => {
    const { reader, told } = reading(30_000)
    reader.gains()
    reader.takes()
    assert.deepStrictEqual(told, [])
    reader.waits()
    reader.stillWaits()
    reader.gains()
    assert.isTrue(reader.isBehind)
    reader.takes()
    reader.takes()
    reader.gains()
    assert.isFalse(reader.isBehind)
    assert.deepStrictEqual(told, ["waiting", "stalled", "stalled", "none"])
    assert.strictEqual(reader.waits(), 5_000)
  })
})
