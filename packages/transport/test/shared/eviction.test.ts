/** Which share of a spent budget ends, against a model that looks at all of them each time. */
import { assert, describe, it } from "@effect/vitest"
import { Budget } from "@parley/transport/shared"
import { Arbitrary, Schema } from "effect"

const limit = 8 * 1024 * 100
/** The guarantee of a share of this budget. */
const guarantee = 100
const count = 8

const Which = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: count - 1 }))
/** In steps that a few of spend the budget. */
const Weight = Schema.Literals([-250_001, -90_000, 30, 90, 120, 50_000, 110_003, 230_007, 410_011])
const Step = Schema.Union([
  Schema.TaggedStruct("Take", { which: Which, weight: Weight }),
  Schema.TaggedStruct("Take", { which: Which, weight: Weight }),
  Schema.TaggedStruct("Take", { which: Which, weight: Weight }),
  Schema.TaggedStruct("Keep", { which: Which, weight: Weight }),
  Schema.TaggedStruct("Read", { which: Which, now: Schema.Literals(["none", "waiting", "stalled"]) }),
  Schema.TaggedStruct("Evict", {}),
  Schema.TaggedStruct("Reopen", { which: Which })
])

interface Connection {
  readonly name: number
  share: Budget.Share
  reader: Budget.Unread
  held: number
  kept: number
  isOver: boolean
}

describe("a spent budget", () => {
  it("ends the share that has become the heaviest since it was spent", () => {
    const budget = Budget.make(10)
    const ended: Array<string> = []
    const [a, b, c] = ["a", "b", "c"].map((name) => {
      const share = budget.share()
      share.onEvict(() => ended.push(name))
      return share
    })
    a?.take(6)
    b?.take(3)
    c?.take(2)
    budget.evict()
    b?.take(1)
    c?.take(5)
    budget.evict()
    assert.deepStrictEqual(ended, ["a", "c"])
  })

  it.prop(
    "ends the shares that its model ends",
    [Arbitrary.array(Arbitrary.schema(Step), { minLength: 10, maxLength: 80 })],
    ([steps]) => {
      const budget = Budget.make(limit)
      const ended: Array<Connection> = []
      const expected: Array<Connection> = []
      let names = 0
      const opened = (): Connection => {
        const share = budget.share()
        const one: Connection = { name: names++, share, reader: "none", held: 0, kept: 0, isOver: false }
        share.onEvict(() => ended.push(one))
        return one
      }
      const connections = Array.from({ length: count }, opened)
      /** What is left once those that are over have given back everything. */
      const left = () => connections.reduce((sum, { held, isOver }) => isOver ? sum : sum + held, 0)
      const taken = () => connections.reduce((sum, { held }) => sum + held, 0)
      /** Of two that weigh the same either may end: the one that did. */
      const heaviest = (least: number, weightOf: (one: Connection) => number, may: (one: Connection) => boolean) => {
        const those = connections.filter((one) => !one.isOver && may(one) && weightOf(one) > least)
        const most = Math.max(...those.map(weightOf))
        const [first, ...others] = those.filter((one) => weightOf(one) === most)
        return others.find((one) => one === ended[expected.length]) ?? first
      }
      const isStalled = ({ reader }: Connection) => reader === "stalled"
      const held = (one: Connection) => one.held
      const end = (one: Connection | undefined) => {
        if (one === undefined) return false
        one.isOver = true
        expected.push(one)
        return true
      }
      const relieve = (writer: Connection): boolean => {
        if (taken() < limit || left() < limit) return false
        const stalled = heaviest(guarantee, held, isStalled)
        if (stalled !== undefined || left() < limit + 1024 * guarantee) return end(stalled)
        return end(heaviest(guarantee, held, (one) => one.reader === "waiting" && one !== writer))
      }
      const evict = () => {
        if (taken() < limit || left() < limit) return
        end(heaviest(guarantee, held, isStalled) ?? heaviest(0, held, () => true))
      }
      const endKeeper = () => {
        const keepers = connections.filter(({ isOver, kept }) => !isOver && kept > 0)
        const sum = keepers.reduce((sum, { kept }) => sum + kept, 0)
        return keepers.length > 1 && sum > limit / 8 && end(heaviest(0, ({ kept }) => kept, () => true))
      }
      for (const step of steps) {
        const one = connections["which" in step ? step.which : 0]
        assert(one !== undefined)
        if (step._tag === "Take") {
          const weight = Math.max(step.weight, -one.held)
          one.held += weight
          one.share.take(weight)
        } else if (step._tag === "Keep") {
          const weight = Math.max(step.weight, -one.kept)
          one.kept += weight
          one.share.keep(weight)
          while (endKeeper());
        } else if (step._tag === "Read") {
          const before = one.reader
          one.reader = step.now
          one.share.unread(step.now, before)
          if (step.now !== "none") { while (relieve(one)); }
        } else if (step._tag === "Evict") {
          budget.evict()
          evict()
        } else if (step._tag === "Reopen") {
          one.share.close()
          connections[step.which] = opened()
        }
        assert.strictEqual(budget.taken(), taken())
        assert.deepStrictEqual(ended.map(({ name }) => name), expected.map(({ name }) => name))
      }
    },
    { arbitrary: { runs: 500 } }
  )
})
