/**
 * The findings of conform in servers of others. Each failure was reproduced by hand: `expected.json` has the text that was sent
 * and what came, where "nothing" stands for silence.
 */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect } from "effect"
import * as Programs from "../../../../tools/debian/Programs.ts"
import { expected } from "./Expected.ts"
import { servers } from "./Foreign.ts"

describe("servers of others", () => {
  it("are all written down", () => {
    assert.sameMembers(servers.map(({ name }) => name), Object.keys(expected))
  })

  for (const { name, needs, target } of servers) {
    Programs.suites(needs, () => {
      it.live(`${name} fails in what was reproduced by hand, and in nothing else`, () =>
        Effect.gen(function*() {
          const { results } = yield* Conform.run(yield* target, { timeout: "10 seconds" })
          const failed = results.filter(({ verdict }) => verdict === "fail").map(({ id }) => id)
          assert.sameMembers(failed, Object.keys(expected[name] ?? {}))
          const unverified = results.filter(({ verdict }) => verdict === "unverified")
          assert.deepStrictEqual(unverified.map(({ id, reason }) => `${id}: ${reason}`), [])
        }))
    })
  }
})
