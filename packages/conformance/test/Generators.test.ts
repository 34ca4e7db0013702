import { assert, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { Arbitrary, Effect } from "effect"

it.effect("a sequence is longer than the size of a run, up to what it may have", () =>
  Effect.gen(function*() {
    const lengthsOf = (most: number) =>
      Effect.map(
        Arbitrary.sampleEffect(Generators.sequence(Generators.below(3), most), { count: 200, seed: 0 }),
        (lists) => lists.map(({ length }) => length)
      )
    for (const most of [0, 1, 7, 40]) {
      assert.strictEqual(Math.max(...yield* lengthsOf(most)), most)
    }
    assert.strictEqual(Math.min(...yield* lengthsOf(40)), 0)
  }))
