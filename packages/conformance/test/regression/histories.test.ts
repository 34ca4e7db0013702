import { assert, it } from "@effect/vitest"
import { Simulation } from "@parley/conformance"
import { Effect } from "effect"
import { histories } from "./histories.ts"

for (const { name, scenario } of histories) {
  it.effect(`history: ${name}`, () =>
    Effect.gen(function*() {
      const { history, violations } = yield* Simulation.replay(scenario)
      assert.deepStrictEqual(violations, [], history.join("\n"))
    }))
}
