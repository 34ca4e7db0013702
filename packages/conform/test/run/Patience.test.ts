import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Duration, Effect } from "effect"
import * as Patience from "../../src/internal/probe/Patience.ts"
import * as Server from "../suites/Server.ts"

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

describe("a run", () => {
  it.live("says that a server answers nothing at all", () =>
    Effect.gen(function*() {
      const silent = yield* Server.target({ answer: () => [] })
      const { reason } = yield* Effect.flip(Conform.run(silent, { protocol: "jsonrpc", timeout: 50 }))
      assert.include(reason, "it answers nothing")
    }))

  it.live("begins with a server that answers nothing but a method that somebody has named", () =>
    Effect.gen(function*() {
      const shy = yield* Server.target({ answer: (input, right) => input.includes("\"known\"") ? right : [] })
      const methods = [{ method: "known", params: [] }]
      const { results } = yield* Conform.run(shy, {
        protocol: "jsonrpc",
        timeout: 50,
        methods,
        only: ["jsonrpc/id-same"]
      })
      assert.strictEqual(results[0]?.verdict, "fail")
    }))
})
