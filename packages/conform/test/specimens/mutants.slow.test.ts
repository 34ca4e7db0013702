/** Each published mutant is found by the rule that its row names, in both languages and over both wires. */
import { assert, describe, it } from "@effect/vitest"
import { Conform } from "@parley/conform"
import { Effect } from "effect"
import * as Specimen from "./Specimen.ts"

/** Says how a mutant was not found. */
const missed = Effect.fnUntraced(function*(mutant: Specimen.Mutant, server: string, place: Specimen.Place) {
  const target = yield* Specimen.start(server, place, ["--mutant", mutant.name])
  const { protocol, results } = yield* Conform.run(target, {
    only: [mutant.rule],
    write: mutant.rule.startsWith("stateful/")
  })
  const result = results.find(({ id }) => id === mutant.rule)
  return result?.verdict === "fail" || result?.verdict === "warning"
    ? []
    : [`${mutant.name} of ${server}: ${result?.verdict ?? "no rule"} ${result?.reason ?? ""} (${protocol})`]
}, Effect.scoped)

describe("the mutants", () => {
  it("are named by rules that exist", () => {
    const known = new Set(Conform.rules.map(({ id }) => id))
    assert.deepStrictEqual(Specimen.mutants.filter(({ rule }) => !known.has(rule)).map(({ name }) => name), [])
  })

  for (const place of Specimen.places) {
    it.live(`are found in ${place.language} over ${place.wire}`, () =>
      Effect.gen(function*() {
        // A mutant of two servers is tried in one of them over each wire, and in the other one in the other language.
        const turn = Number(place.wire === "HTTP") + Number(place.language === "Python")
        const tried = Specimen.mutants.filter(({ places }) => places.includes(place)).map((mutant) =>
          missed(mutant, mutant.servers[turn % mutant.servers.length] ?? "", place)
        )
        assert.isAbove(tried.length, 30)
        const all = yield* Effect.all(tried, { concurrency: 6 })
        assert.deepStrictEqual(all.flat(), [])
      }))
  }
})
