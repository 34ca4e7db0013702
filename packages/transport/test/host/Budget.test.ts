import { assert, describe, it } from "@effect/vitest"
import * as Budget from "@parley/transport/host/Budget"
import { Effect } from "effect"

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

  it("calls back who was refused when it has room again, until told to stop", () => {
    const budget = Budget.make(limit)
    const share = budget.share()
    let heard = 0
    const stop = budget.onRoom(() => heard++)
    share.take(limit)
    share.take(-1)
    assert.strictEqual(heard, 0)
    share.take(1)
    assert.isTrue(budget.isSpent())
    share.take(-1)
    assert.strictEqual(heard, 1)
    share.take(1)
    share.take(-1)
    assert.strictEqual(heard, 1)
    share.take(1)
    assert.isTrue(budget.isSpent())
    stop()
    stop()
    share.take(-1)
    assert.strictEqual(heard, 1)
  })

  it.effect("promise 22: when nothing moves, nothing waits that could move: who fits hears of it, the others do not", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      const heard: Array<number> = []
      budget.take(limit - 100)
      for (const weight of [500, 200, 300, 400, 200]) {
        const share = budget.share()
        share.take(100)
        assert.isFalse(share.fits(weight))
        share.onRoom(() => {
          heard.push(weight)
          if (share.fits(weight)) share.take(weight)
        })
      }
      budget.take(-599)
      yield* Effect.yieldNow
      assert.deepStrictEqual(heard, [])
      budget.take(-101)
      budget.take(-50)
      yield* Effect.yieldNow
      assert.deepStrictEqual(heard, [200])
      budget.take(-450)
      yield* Effect.yieldNow
      assert.deepStrictEqual(heard, [200, 200, 300])
    }))

  it.effect("promise 22: when nothing moves, nothing waits that could move: of those who share one share, too", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      const heard: Array<string> = []
      const wait = (name: string) =>
        budget.onRoom(() => {
          if (budget.isSpent()) return
          heard.push(name)
          budget.take(1)
        })
      budget.take(limit)
      assert.isTrue(budget.isSpent())
      for (const name of ["a", "b", "c"]) wait(name)
      for (let turn = 0; turn < 4; turn++) {
        budget.take(-1)
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual(heard, ["a", "b", "c", "a"])
    }))

  it.effect("thousands who wait for room hear of it once, and those who want none never", () =>
    Effect.gen(function*() {
      const many = 10_000
      const budget = Budget.make(limit)
      const [weight, places] = [limit / 4, 4]
      let idle = 0
      let heard = 0
      let served = 0
      for (let at = 0; at < many; at++) budget.share().onRoom(() => idle++)
      const leaving: Array<() => void> = []
      const enter = (share: Budget.Share) => {
        share.take(weight)
        served++
        leaving.push(() => share.close())
      }
      for (let at = 0; at < many; at++) {
        const share = budget.share()
        if (share.fits(weight)) {
          enter(share)
          continue
        }
        const stop = share.onRoom(() => {
          heard++
          if (!share.fits(weight)) return
          stop()
          enter(share)
        })
      }
      assert.strictEqual(served, places)
      for (let leave = leaving.shift(); leave !== undefined; leave = leaving.shift()) {
        leave()
        yield* Effect.yieldNow
      }
      assert.deepStrictEqual([served, heard, idle], [many, many - places, 0])
    }))

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
