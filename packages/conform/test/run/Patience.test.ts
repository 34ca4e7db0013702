import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import * as Patience from "../../src/internal/probe/Patience.ts"

const seconds = ({ sentinel = Duration.zero }: Patience.Patience) => Duration.toSeconds(sentinel)

describe("the patience with sentinels", () => {
  it("is the time that was given, until five were not answered", () => {
    const patience = Patience.make(Duration.seconds(5), Duration.millis(100))
    for (let misses = 0; misses < 5; misses++) {
      assert.strictEqual(seconds(patience), 5)
      patience.hear?.(undefined)
      patience.hear?.(Duration.millis(100))
    }
    assert.strictEqual(seconds(patience), 1)
  })

  it("stays above three times the slowest, and below the time that was given", () => {
    const patience = Patience.make(Duration.seconds(5), Duration.millis(100))
    for (let misses = 0; misses < 5; misses++) patience.hear?.(undefined)
    patience.hear?.(Duration.millis(800))
    patience.hear?.(Duration.millis(10))
    assert.approximately(seconds(patience), 2.4, 1e-9)
    patience.hear?.(Duration.seconds(3))
    assert.strictEqual(seconds(patience), 5)
  })
})

describe("the patience with what a later answer has overtaken", () => {
  it("is two seconds, until three answers have not come, and then three times the latest that came", () => {
    const patience = Patience.make(Duration.seconds(5), Duration.millis(100))
    patience.doubt?.(Duration.millis(200))
    for (let lost = 0; lost < 3; lost++) {
      assert.deepStrictEqual(patience.disorder, Duration.seconds(2))
      patience.doubt?.(undefined)
    }
    assert.deepStrictEqual(patience.disorder, Duration.millis(600))
  })
})
