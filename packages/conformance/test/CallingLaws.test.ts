import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Effect } from "effect"
import { breaks, patience, quick, titles } from "./support/breaks.ts"
import * as NaiveCaller from "./support/NaiveCaller.ts"

const caller = (flaw: NaiveCaller.Flaw) => ({ name: flaw, call: NaiveCaller.make(flaw) })

/** Flaw and the law that finds it. */
const flaws: ReadonlyArray<readonly [flaw: NaiveCaller.Flaw, title: string]> = [
  ["omits empty params", "what is sent is what was called"],
  ["uses ids again", "an id is never used again"],
  ["answers in turn", "responses in any order reach their callers, results and errors untouched"],
  ["answers what is late", "late, unknown and malformed responses break nothing and are not answered"],
  ["dies of what is late", "late, unknown and malformed responses break nothing and are not answered"],
  ["ignores what is malformed", "a malformed response fails the call that it names"],
  ["takes the results of a batch as they come", "the results of a batch stand in the order of its members"],
  ["cancels nothing", "an interrupted call is cancelled, and leaves nothing"],
  ["cancels nothing", "a timeout is typed, and not early"],
  ["times out early", "a timeout is typed, and not early"],
  ["does not end with the connection", "the end of the connection ends every call, waiting or later"],
  ["does not end with its Scope", "the end of the caller ends every call"],
  ["waits only when it has sent", "a response that comes before `send` returns is not lost"],
  ["reads one text at a time", "under a line that delays and takes apart every call gets its answer"],
  ["answers in turn", "under a line that reorders responses every call gets its own answer"],
  [
    "stops reading at what is no JSON",
    "under a line that garbles and breaks every call ends, and none with the answer of another"
  ]
]

describe("the laws of callers", () => {
  const laws = Laws.ofCaller(caller("none"))
  for (const law of laws) it.live(`hold for a naive one: ${law.name}`, () => law.check)

  for (const [flaw, title] of flaws) {
    it.live(`find one that ${flaw}: ${title}`, () => breaks(Laws.ofCaller({ ...caller(flaw), patience }, quick), title))
  }

  it.live("name the seed of the faults that broke them", () =>
    Effect.gen(function*() {
      const laws = Laws.ofCaller({ ...caller("answers in turn"), patience }, quick)
      const law = laws.find(({ name }) => name.includes("reorders"))
      assert.match((yield* Effect.flip(law!.check)).message, /under the faults of seed \d+: /)
    }))

  it("can all fail", () => {
    assert.sameMembers([...new Set(flaws.map(([, title]) => title))], [...titles(laws)])
  })
})
