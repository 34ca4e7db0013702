import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Correlator } from "@parley/peer"
import { breaks, quick, titles } from "./support/breaks.ts"
import * as NaiveCorrelator from "./support/NaiveCorrelator.ts"

const correlated = (flaw: NaiveCorrelator.Flaw) => ({ name: flaw, make: NaiveCorrelator.make(flaw) })

/** Flaw and the law that finds it. */
const flaws: ReadonlyArray<readonly [flaw: NaiveCorrelator.Flaw, title: string]> = [
  ["uses ids again", "an id is a positive integer, and never used again"],
  ["resumes before it forgets", "every registered call ends exactly once"],
  ["ends late calls again", "every registered call ends exactly once"],
  ["times out early", "a timeout is never early, and at most 10 ms late"],
  ["times out late", "a timeout is never early, and at most 10 ms late"],
  ["closes all but the first", "closing ends every call, and tells which were sent"],
  ["says that all was sent", "closing ends every call, and tells which were sent"],
  ["outlives its Scope", "the end of its Scope ends every call"],
  ["dies of what onTimeout throws", "what onTimeout throws neither stops other deadlines nor leaves a call registered"],
  ["dies of what resume throws", "what resume throws neither stops other deadlines nor leaves a call registered"],
  ["lets onProgress throw", "what onProgress throws leaves its call waiting, with its deadline"]
]

describe("the laws of correlators", () => {
  const laws = Laws.ofCorrelator(correlated("none"))
  for (const law of laws) it.effect(`hold for a naive one: ${law.name}`, () => law.check)

  for (const [flaw, title] of flaws) {
    it.effect(`find one that ${flaw}: ${title}`, () => breaks(Laws.ofCorrelator(correlated(flaw), quick), title))
  }

  it("can all fail", () => {
    assert.sameMembers([...new Set(flaws.map(([, title]) => title))], [...titles(laws)])
  })
})

describe("Correlator", () => {
  const laws = Laws.ofCorrelator({ name: "Correlator", make: Correlator.make })
  for (const law of laws) it.effect(law.name, () => law.check)
})
