import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Bag } from "../src/internal/http/Bag.ts"

/** Whether one comes; otherwise the one at so many percent of those that are there leaves, twice. */
const step = Schema.Struct({
  comes: Schema.Boolean,
  percent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 }))
})

it.effect.prop(
  "promise 19: end of input drains: a bag of what has not ended holds what a set would",
  { history: Schema.Array(step) },
  ({ history }) =>
    Effect.sync(() => {
      const bag = new Bag<{ place: number }>()
      const model = new Set<{ place: number }>()
      for (const { comes, percent } of history) {
        const member = comes ? { place: 0 } : [...model][Math.floor(model.size * percent / 100)]
        if (member === undefined) continue
        if (comes) {
          bag.add(member)
          model.add(member)
        } else {
          assert.isTrue(bag.delete(member))
          assert.isFalse(bag.delete(member))
          model.delete(member)
        }
        assert.strictEqual(bag.size, model.size)
        assert.isTrue(bag.all().every((member) => model.has(member)))
        assert.strictEqual(new Set(bag.all()).size, model.size)
      }
    })
)
