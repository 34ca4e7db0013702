import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "./simulation/run.ts"

const seeds = Array.from({ length: 30 }, (_, n) => n + 1)

describe("three nodes of one engine, which die, stand still, are cut off and lose their engine", () => {
  for (const seed of seeds) {
    it.effect(`lose no call in silence, take no text twice, and write nothing behind a newer owner (seed ${seed})`, () =>
      Effect.map(run(seed), (verdicts) => assert.deepStrictEqual(verdicts, [])))
  }
})
