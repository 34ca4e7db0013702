import { assert, describe, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
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

  it("promise 22: when nothing moves, nothing waits that could move: who falls back to its guarantee hears of that room", () => {
    const budget = Budget.make(limit)
    const share = budget.share()
    budget.take(limit)
    share.take(250)
    const heard: Array<string> = []
    share.onRoom(() => {
      if (!share.isSpent()) heard.push("spent")
    })
    assert.isTrue(share.isSpent())
    share.take(-149)
    assert.deepStrictEqual(heard, [])
    share.take(-1)
    assert.deepStrictEqual(heard, ["spent"])
    share.take(-20)
    assert.deepStrictEqual(heard, ["spent"])
    assert.isFalse(share.fits(50))
    share.take(-20)
    assert.deepStrictEqual(heard, ["spent"])
    share.take(-10)
    assert.deepStrictEqual(heard, ["spent", "spent"])
  })

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

  const told = new Map<Budget.Budget, Budget.Unread>()

  /** Says how the one reader of a share reads. */
  const tell = (share: Budget.Budget | undefined, now: Budget.Unread) => {
    if (share === undefined) return
    const before = told.get(share) ?? "none"
    told.set(share, now)
    share.unread(now, before)
  }

  /** Shares that hold so much of the limit each, and which of them were told to end. */
  const holding = (...parts: ReadonlyArray<number>) => {
    const budget = Budget.make(limit)
    const ended: Array<number> = []
    const shares = parts.map((part, index) => {
      const share = budget.share()
      share.take(part * limit)
      share.onEvict(() => {
        ended.push(index)
        share.close()
      })
      return share
    })
    return { budget, ended, shares }
  }

  it("the budget ends those who take nothing of what is written for them, the heaviest first", () => {
    const { ended, shares: [light, heavy, reading, running] } = holding(0.2, 0.3, 0.4, 0.05)
    tell(light, "stalled")
    tell(heavy, "stalled")
    assert.deepStrictEqual(ended, [])
    running?.take(0.1 * limit)
    tell(reading, "waiting")
    assert.deepStrictEqual(ended, [1])
    running?.take(0.5 * limit)
    tell(light, "stalled")
    assert.deepStrictEqual(ended, [1, 0])
  })

  it("the budget waits for those who may still read, but beyond the guarantees for the writer alone", () => {
    const { ended, shares: [first, second, writer] } = holding(0.3, 0.4, 0.4)
    tell(first, "waiting")
    tell(second, "waiting")
    tell(writer, "waiting")
    assert.deepStrictEqual(ended, [])
    writer?.take(limit)
    tell(writer, "waiting")
    assert.deepStrictEqual(ended, [1, 0])
  })

  it("the budget does not end who has taken all, nor who holds no more than its guarantee", () => {
    const { ended, shares: [read, light, running] } = holding(0.5, 50 / limit, 1)
    tell(read, "stalled")
    assert.deepStrictEqual(ended, [0])
    tell(light, "stalled")
    tell(running, "waiting")
    tell(running, "none")
    tell(light, "stalled")
    assert.deepStrictEqual(ended, [0])
  })

  it("the budget looks once more where the end of one lets another write", () => {
    const { ended, shares: [first, second, third] } = holding(0.5, 0.4, 0.2)
    tell(second, "waiting")
    first?.onEvict(() => {
      second?.take(limit)
      tell(second, "stalled")
    })
    tell(third, "waiting")
    assert.deepStrictEqual(ended, [])
    tell(first, "stalled")
    assert.deepStrictEqual(ended, [0, 1])
  })

  it("the budget counts a share as read by the worst of its readers", () => {
    const { ended, shares: [both, running] } = holding(0.5, 0.4)
    both?.unread("waiting", "none")
    both?.unread("stalled", "waiting")
    both?.unread("waiting", "none")
    both?.unread("none", "waiting")
    running?.take(0.2 * limit)
    tell(running, "waiting")
    assert.deepStrictEqual(ended, [0])
  })

  it("the budget ends a light connection that is stalled before a heavy one that is not", () => {
    const { budget, ended, shares: [stalled] } = holding(0.3, 0.8)
    budget.take(-0.2 * limit)
    tell(stalled, "stalled")
    assert.deepStrictEqual(ended, [])
    budget.take(0.2 * limit)
    assert.isTrue(budget.evict())
    assert.deepStrictEqual(ended, [0])
  })

  it("the budget ends nobody who writes while it makes room", () => {
    const { ended, shares: [first, second, third] } = holding(0.6, 0.3, 0.1)
    tell(third, "waiting")
    first?.onEvict(() => {
      second?.take(limit)
      tell(second, "waiting")
    })
    tell(first, "stalled")
    assert.deepStrictEqual(ended, [0, 2])
  })

  it("the budget ends those that keep the most for want of room, and never the only one", () => {
    const { budget, ended, shares: [first, second, third] } = holding(0.1, 0.1, 0.1)
    first?.keep(limit)
    assert.deepStrictEqual(ended, [])
    second?.keep(0.1 * limit)
    assert.deepStrictEqual(ended, [0])
    third?.keep(0.02 * limit)
    assert.deepStrictEqual(ended, [0])
    second?.keep(-0.1 * limit)
    third?.keep(0.1 * limit)
    assert.deepStrictEqual(ended, [0])
    second?.keep(0.01 * limit)
    assert.deepStrictEqual(ended, [0, 2])
    assert.strictEqual(Math.round(budget.taken() / limit * 10), 1)
  })

  it.effect("the budget ends those that keep the most, also where a share that keeps something has another connection", () =>
    Effect.gen(function*() {
      const budget = Budget.make(limit)
      const ended: Array<string> = []
      const [returning, other, third] = [budget.share(), budget.share(), budget.share()]
      const stop = returning.onEvict(() => ended.push("first"))
      other.onEvict(() => ended.push("other"))
      other.keep(0.1 * limit)
      returning.keep(0.12 * limit)
      assert.deepStrictEqual(ended, ["first"])
      returning.keep(-0.04 * limit)
      // It keeps less than the other now, and both keep more than they may.
      returning.onEvict(() => ended.push("next"))
      stop()
      // Whoever makes a connection has the function that `onEvict` returns before it is told to end.
      assert.deepStrictEqual(ended, ["first"])
      yield* Effect.promise(() => Promise.resolve())
      assert.deepStrictEqual(ended, ["first", "other"])
      // So it is where a share has its first connection.
      third.keep(0.1 * limit)
      third.onEvict(() => ended.push("third"))
      assert.deepStrictEqual(ended, ["first", "other"])
      yield* Effect.promise(() => Promise.resolve())
      assert.deepStrictEqual(ended, ["first", "other", "third"])
    }))

  it("the budget ends one connection after another that use the same share", () => {
    const budget = Budget.make(limit)
    let ended = 0
    for (let count = 1; count <= 3; count++) {
      const stop = budget.onEvict(() => ended++)
      budget.take(limit)
      assert.isTrue(budget.evict())
      assert.strictEqual(ended, count)
      budget.take(-limit)
      stop()
    }
  })
})
