import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@parley/protocol/Limits"

/** The names of `Limits`, as they are declared. */
const names = Object.keys(Limits.defaults) as ReadonlyArray<keyof Limits.Limits> // `defaults` has no other keys.

describe("Limits", () => {
  it.each(names)("%s is refused where it is no bound", (name) => {
    for (const value of [Number.NaN, Infinity, -Infinity, -1, 1.5, 2 ** 53, undefined, "1"]) {
      // What a caller without types may pass.
      const limits = { [name]: value } as Partial<Limits.Limits>
      assert.throws(
        () => Limits.make(limits),
        RangeError,
        new RegExp(`\`${name}\` is ${String(value)}, .* at least [01]$`)
      )
    }
  })

  it("0 is a bound only where it means something", () => {
    const zeros = names.filter((name) => {
      try {
        return Limits.make({ [name]: 0 }) !== undefined
      } catch {
        return false
      }
    })
    assert.deepStrictEqual(zeros, ["notification", "drain"])
  })

  it("a batch fits into the inbox", () => {
    const { inbox } = Limits.make({ batch: 5_000, inbox: 1 })
    assert.strictEqual(inbox, 5_000)
  })

  it("the window is what the other side takes by its defaults", () => {
    const { inFlight, inbox, inboxBytes, window, windowBytes } = Limits.defaults
    assert.deepStrictEqual([window, windowBytes], [inFlight + inbox, inboxBytes])
  })

  it("are the same for the same object of bounds, and for themselves", () => {
    const bounds = { frame: 100 }
    const limits = Limits.make(bounds)
    assert.strictEqual(Limits.make(bounds), limits)
    assert.strictEqual(Limits.make(limits), limits)
    assert.strictEqual(Limits.make(), Limits.make())
    assert.notStrictEqual(Limits.make({ frame: 100 }), limits)
    assert.deepStrictEqual(Limits.make({ frame: 100 }), limits)
    assert.isFrozen(limits)
  })
})
