import { assert, describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { breaks, quick, titles } from "./support/breaks.ts"
import * as BrokenEngine from "./support/BrokenEngine.ts"
import * as BrokenJournal from "./support/BrokenJournal.ts"

const wait = (milliseconds: number) => TestClock.adjust(milliseconds)

const lawsOf = (engines: Laws.Engines) => [...Laws.ofEngine(engines, quick), ...Laws.ofNodes(engines)]

const finds = (how: string, laws: () => ReadonlyArray<Parameters<typeof breaks>[0][number]>, title: string) =>
  it.effect(`find one that ${how}: ${title}`, () => Effect.provide(breaks(laws(), title), Logger.layer([])))

describe("the laws of engines", () => {
  const outages = BrokenEngine.outages(wait)
  for (const [how, flaw, ...broken] of BrokenEngine.flaws) {
    for (const title of broken) finds(how, () => lawsOf(BrokenEngine.flawed(how, flaw, wait)), title)
  }
  for (const [engine, ...broken] of outages) {
    for (const title of broken) finds(engine.outages?.[0]?.name ?? "is cut off", () => lawsOf(engine), title)
  }

  it("can all fail", () => {
    const found = [
      ...BrokenEngine.flaws.flatMap(([, , ...broken]) => broken),
      ...outages.flatMap(([, ...broken]) => broken)
    ]
    assert.sameMembers([...new Set(found)], [...new Set(outages.flatMap(([engine]) => titles(lawsOf(engine))))])
  })
})

describe("the laws of journals", () => {
  const away = "what is asked meanwhile fails in time, and it goes on"
  for (const [how, flaw, ...broken] of BrokenJournal.flaws) {
    for (const title of broken) {
      finds(how, () => Laws.ofJournal(BrokenJournal.flawed(how, flaw, wait), quick), title)
    }
  }
  finds("hangs", () => Laws.ofJournal(BrokenJournal.hanging(wait)), away)

  it("can all fail", () => {
    const found = BrokenJournal.flaws.flatMap(([, , ...broken]) => broken)
    assert.sameMembers([...found, away], [...titles(Laws.ofJournal(BrokenJournal.hanging(wait)))])
  })
})
