/** The tables that hold the calls of a conversation do what a `Map` does. */
import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { Arbitrary, Effect, Schema } from "effect"
import { CallTable, type Chained } from "../src/internal/outgoing/CallTable.ts"

/** Begins so many calls, or ends so many of those that wait, from one on that stands behind so many percent of them. */
const Step = Schema.Struct({
  does: Schema.Literals(["begin", "end"]),
  count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })),
  percent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))
})
const history = Generators.sequence(Arbitrary.schema(Step), 60)

/** What a step ends. */
const endedBy = <A>({ count, does, percent }: typeof Step.Type, waiting: Iterable<A>): ReadonlyArray<A> => {
  const all = [...waiting]
  const from = Math.floor(percent * all.length / 100)
  return does === "end" ? all.slice(from, from + count) : []
}

const begunBy = ({ count, does }: typeof Step.Type): number => does === "begin" ? count : 0

const foreign = [
  0,
  -1,
  0.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 32 + 1,
  2 ** 53,
  "1",
  null,
  undefined,
  [1],
  true
]

class Call implements Chained<Call> {
  next: Call | undefined = undefined
  readonly #id: number
  readonly #onLook: () => void

  constructor(id: number, onLook: () => void = () => {}) {
    this.#id = id
    this.#onLook = onLook
  }

  get id() {
    this.#onLook()
    return this.#id
  }
}

describe("the calls of a conversation", () => {
  it.effect.prop(
    "promise 7: a call ends exactly once: it is found by its id until it is taken out",
    { history },
    ({ history }) =>
      Effect.sync(() => {
        const table = new CallTable<Call>()
        const model = new Map<number, Call>()
        let id = 0
        for (const step of history) {
          for (let count = begunBy(step); count > 0; count--) {
            const call = new Call(++id)
            table.add(call)
            model.set(id, call)
          }
          for (const call of endedBy(step, model.values())) {
            assert.isTrue(table.delete(call))
            assert.isFalse(table.delete(call))
            assert.isUndefined(call.next)
            model.delete(call.id)
          }
          assert.strictEqual(table.size, model.size)
          assert.isTrue(table.all().every((call, at) => call === [...model.values()][at]))
          assert.strictEqual(table.all().length, model.size)
          for (let past = 1; past <= id + 1; past++) assert.strictEqual(table.get(past), model.get(past))
          for (const none of foreign) assert.isUndefined(table.get(none))
        }
      })
  )

  it("promise 7: a call ends exactly once: a call and a foreign id cost no more where many others wait", () => {
    let looks = 0
    const table = new CallTable<Call>()
    const begin = (id: number) => {
      const call = new Call(id, () => looks++)
      table.add(call)
      return call
    }
    for (let id = 1; id <= 10_000; id++) begin(id)
    for (let id = -50_000; id < 50_000; id++) {
      looks = 0
      const isThere = table.get(id) !== undefined
      assert.strictEqual(isThere, id > 0 && id <= 10_000)
      assert.isAtMost(looks, 4)
    }
    let most = 0
    for (let id = 10_001; id <= 100_000; id++) {
      looks = 0
      table.delete(begin(id))
      most = Math.max(most, looks)
    }
    assert.isAtMost(most, 4)
  })

  it("promise 8: an interrupted or timed-out call leaves nothing behind: a table is small again after many calls", () => {
    const table = new CallTable<Call>()
    const calls = Array.from({ length: 10_000 }, (_, at) => new Call(at + 1))
    for (const call of calls) table.add(call)
    const most = table.capacity
    for (const call of calls) table.delete(call)
    assert.isAtLeast(most, 10_000)
    assert.isAtMost(table.capacity, 32)
  })
})
