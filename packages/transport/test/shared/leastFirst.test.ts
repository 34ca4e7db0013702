import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { absent, LeastFirst } from "../../src/internal/leastFirst.ts"

const make = (onLook: () => void = () => {}) => {
  let held = 0
  return {
    get need() {
      onLook()
      return held
    },
    set need(need: number) {
      held = need
    },
    since: 0,
    place: absent
  }
}

/** Needs come, so many of the first are served, and those at so many percent of all leave or need less. */
const Step = Schema.Struct({
  come: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))),
  served: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })),
  percent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 })),
  need: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })))
})

describe("those who wait for room", () => {
  it.effect.prop(
    "promise 22: when nothing moves, nothing waits that could move: who needs the least is first, and then who came first",
    { history: Arbitrary.array(Arbitrary.schema(Step), { maxLength: 40 }) },
    ({ history }) =>
      Effect.sync(() => {
        const heap = new LeastFirst<ReturnType<typeof make>>()
        const model = new Set<ReturnType<typeof make>>()
        const first = () => [...model].reduce((least, one) => one.need < least.need ? one : least)
        const leave = (member: ReturnType<typeof make>) => {
          heap.delete(member)
          heap.delete(member)
          model.delete(member)
          assert.strictEqual(member.place, absent)
        }
        for (const { come, need, percent, served } of history) {
          for (const need of come) {
            const member = make()
            heap.add(member, need)
            model.add(member)
          }
          for (let count = 0; count < served && model.size > 0; count++) leave(first())
          const chosen = [...model][Math.floor(percent * model.size / 100)]
          if (chosen !== undefined && need === null) leave(chosen)
          else if (chosen !== undefined && need !== null) heap.add(chosen, need)
          assert.strictEqual(heap.first, model.size === 0 ? undefined : first())
        }
        while (model.size > 0) {
          assert.strictEqual(heap.first, first())
          leave(first())
        }
        assert.isUndefined(heap.first)
      })
  )

  it("promise 22: when nothing moves, nothing waits that could move: and few of many are looked at for that", () => {
    let looks = 0
    const heap = new LeastFirst<ReturnType<typeof make>>()
    const members = Array.from({ length: 10_000 }, () => make(() => looks++))
    let most = 0
    const watch = (change: () => void) => {
      looks = 0
      change()
      most = Math.max(most, looks)
    }
    members.forEach((member, at) => watch(() => heap.add(member, at * 7_919 % 10_000)))
    for (const member of members.slice(0, 5_000)) watch(() => heap.delete(member))
    while (heap.first !== undefined) {
      const { first } = heap
      watch(() => heap.delete(first))
    }
    // A heap of so many has 14 levels.
    assert.isAtMost(most, 100)
  })
})
