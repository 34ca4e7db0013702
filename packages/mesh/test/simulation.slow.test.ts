import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "./simulation/run.ts"

describe("three nodes of one engine, which die, stand still, are cut off and lose their engine", () => {
  for (const first of [1, 251, 501, 751]) {
    it.effect(`lose no call in silence, take no text twice, and write nothing behind a newer owner, from ${first} on`, () =>
      Effect.gen(function*() {
        for (let seed = first; seed < first + 250; seed++) assert.deepStrictEqual(yield* run(seed), [], `seed ${seed}`)
      }))
  }
})
