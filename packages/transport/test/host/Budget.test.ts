import { assert, describe, it } from "@effect/vitest"
import * as Budget from "@parley/transport/host/Budget"

/** A guarantee of 100 for each share. */
const limit = 8_192 * 100

describe("Budget", () => {
  it("is spent for shares above their guarantee only", () => {
    const budget = Budget.make(limit)
    const heavy = budget.share()
    const light = budget.share()
    light.take(100)
    heavy.take(limit - 101)
    assert.isFalse(budget.isSpent())
    heavy.take(1)
    assert.isTrue(budget.isSpent())
    assert.isTrue(heavy.isSpent())
    assert.isFalse(light.isSpent())
    light.take(1)
    assert.isTrue(light.isSpent())
    assert.strictEqual(budget.taken(), limit + 1)
    assert.strictEqual(light.taken(), 101)
  })

  it("calls back when it has room again, until told to stop", () => {
    const budget = Budget.make(limit)
    const share = budget.share()
    let heard = 0
    const stop = budget.onRoom(() => heard++)
    share.take(limit)
    share.take(-1)
    assert.strictEqual(heard, 1)
    share.take(1)
    stop()
    share.take(-1)
    assert.strictEqual(heard, 1)
  })

  it("gives back a closed share as a whole, once", () => {
    const budget = Budget.make(limit)
    const share = budget.share()
    share.take(limit)
    share.close()
    share.close()
    share.take(-10)
    assert.strictEqual(budget.taken(), 0)
  })

  it("ends the heaviest share that can end, once, and only where it is spent", () => {
    const budget = Budget.make(limit)
    const ended: Array<string> = []
    const shares = [1, 2, 3].map((weight) => {
      const share = budget.share()
      share.take(weight * limit / 4)
      return share
    })
    shares[0]?.onEvict(() => ended.push("light"))
    const stop = shares[1]?.onEvict(() => ended.push("middle"))
    assert.isTrue(budget.evict())
    assert.deepStrictEqual(ended, ["middle"])
    assert.isTrue(budget.evict())
    assert.deepStrictEqual(ended, ["middle", "light"])
    // Room is on its way: the two that end hold enough.
    assert.isTrue(budget.evict())
    assert.deepStrictEqual(ended, ["middle", "light"])
    shares[2]?.take(limit)
    assert.isFalse(budget.evict())
    stop?.()
    shares[2]?.close()
    shares[2]?.onEvict(() => ended.push("closed"))
    assert.isFalse(budget.evict())
    assert.deepStrictEqual(ended, ["middle", "light"])
  })
})
