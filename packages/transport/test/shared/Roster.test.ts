import { assert, describe, it } from "@effect/vitest"
import { Roster } from "@parley/transport/shared"
import { Arbitrary, Effect, Schema } from "effect"

class Member implements Roster.Linked<Member> {
  earlier: Member | undefined = undefined
  later: Member | undefined = undefined
}

/** How many come, and how many then leave, from one on that stands behind so many percent of those that are there. */
const Step = Schema.Struct({
  come: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
  leave: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
  percent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))
})
const history = Arbitrary.array(Arbitrary.schema(Step), { minLength: 5, maxLength: 30 })

describe("Roster", () => {
  it.effect.prop(
    "promise 8: an interrupted or timed-out call leaves nothing behind: a roster keeps the others in their order",
    { history },
    ({ history }) =>
      Effect.sync(() => {
        const roster = new Roster.Roster<Member>()
        let model: ReadonlyArray<Member> = []
        for (const { come, leave, percent } of history) {
          const added = Array.from({ length: come }, () => new Member())
          for (const member of added) roster.add(member)
          model = [...model, ...added]
          const from = Math.floor(percent * model.length / 100)
          const leaving = model.slice(from, from + leave)
          for (const member of leaving) {
            roster.delete(member)
            assert.isUndefined(member.earlier ?? member.later)
          }
          model = model.filter((member) => !leaving.includes(member))
          assert.strictEqual(roster.size, model.length)
          assert.isTrue(roster.all().every((member, at) => member === model[at]))
          assert.strictEqual(roster.all().length, model.length)
          assert.strictEqual(roster.first, model[0])
        }
      })
  )

  it("promise 8: an interrupted or timed-out call leaves nothing behind: who leaves looks at its neighbours alone", () => {
    let looks = 0
    class Watched implements Roster.Linked<Watched> {
      #earlier: Watched | undefined
      #later: Watched | undefined
      get earlier() {
        looks++
        return this.#earlier
      }
      set earlier(member) {
        looks++
        this.#earlier = member
      }
      get later() {
        looks++
        return this.#later
      }
      set later(member) {
        looks++
        this.#later = member
      }
    }
    const roster = new Roster.Roster<Watched>()
    const members = Array.from({ length: 10_000 }, () => new Watched())
    let most = 0
    const watch = (change: () => void) => {
      looks = 0
      change()
      most = Math.max(most, looks)
    }
    for (const member of members) watch(() => roster.add(member))
    for (const member of [...members.slice(5_000), ...members.slice(0, 5_000)]) watch(() => roster.delete(member))
    assert.strictEqual(roster.size, 0)
    assert.isAtMost(most, 8)
  })
})
