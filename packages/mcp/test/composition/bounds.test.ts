/** One bound that many parties share. */
import { assert, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { ofPrincipal, type Party, Shares } from "../../src/shared/Shares.ts"

const parties: ReadonlyArray<Party> = [
  ofPrincipal("ann"),
  ofPrincipal("bob"),
  ofPrincipal("eve"),
  "10.0.0.1",
  {},
  undefined
]

const most = 8
const mostOfOne = 4

it.prop(
  "no party has more than its share, all have no more than the bound, and a principal always finds the share of one",
  [Generators.sequence(Generators.below(12), 60)],
  ([steps]) => {
    const shares = new Shares(most, mostOfOne)
    const has = parties.map(() => 0)
    const of = (at: number) => has[at] ?? 0
    const sum = (from: number) => has.slice(from).reduce((sum, count) => sum + count, 0)
    for (const step of steps) {
      const at = step % 6
      const party = parties[at]
      if (step >= 6) {
        if (of(at) === 0) continue
        shares.give(party)
        has[at] = of(at) - 1
      } else if (shares.fullFor(party) === undefined) {
        shares.take(party)
        has[at] = of(at) + 1
      } else {
        const isOwn = party !== undefined && of(at) === mostOfOne
        assert.isTrue(isOwn || sum(0) === most || (at >= 3 && sum(3) === most - most / 4))
      }
      assert.isAtMost(sum(0), most)
      assert.isAtMost(sum(3), most - most / 4)
      for (let one = 0; one < 5; one++) assert.isAtMost(of(one), mostOfOne)
    }
  },
  { arbitrary: { runs: 200 } }
)

it("is full for a third principal where two have all of it", () => {
  const shares = new Shares(2, 1)
  for (const name of ["ann", "bob"]) shares.take(ofPrincipal(name))
  assert.strictEqual(shares.fullFor(ofPrincipal("eve")), "all")
})

it("is full for who is no principal for the sake of principals, also where all of it is taken", () => {
  const shares = new Shares(8, 2)
  for (const name of ["ann", "bob"]) shares.take(ofPrincipal(name))
  for (let n = 0; n < 6; n++) shares.take({})
  assert.strictEqual(shares.fullFor({}), "unnamed")
  assert.isFalse(shares.counts("unnamed", {}, ofPrincipal("ann")))
})
