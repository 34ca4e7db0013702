import { describe, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import type { Law } from "@parley/conformance/Laws"
import type { Bounds, Journal } from "@parley/mesh/Journal"
import * as KeyValueJournal from "@parley/mesh/KeyValueJournal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import { Effect, Logger } from "effect"
import { KeyValueStore } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as Link from "./support/links.ts"

/** Time of the test. */
const timing = { lease: 3_000, patience: 60_000, wait: (milliseconds: number) => TestClock.adjust(milliseconds) }

/** The engine is away, and comes back with what it had, or without. */
const away = (name: string, isEmptied: boolean): Laws.Outage<MeshEngine> => ({
  name,
  isEmptied,
  ownersFirst: true,
  open: Effect.map(MemoryNodes.makeEngine, (engine) => {
    let back = (_isEmptied?: boolean) => {}
    return {
      connect: Effect.succeed(engine),
      begin: Effect.sync(() => {
        back = engine.stop()
      }),
      end: Effect.sync(() => back(isEmptied))
    }
  })
})

const engine: Laws.Engines = {
  name: "an engine of memory",
  ...timing,
  open: Effect.map(MemoryNodes.makeEngine, (engine) => Effect.succeed(engine)),
  outages: [away("away", false), away("emptied", true)],
  cut: Effect.map(MemoryNodes.makeEngine, (engine) => {
    const links: Array<Link.Link> = []
    const cut = (isCut: boolean) =>
      Effect.sync(() => {
        for (const link of links) link.isCut = isCut
      })
    return {
      connect: Effect.sync(() => {
        const link = Link.over(engine)
        links.push(link)
        return link
      }),
      aside: Effect.succeed(engine),
      begin: cut(true),
      end: cut(false)
    }
  })
}

/** A journal of which there is one in a process. */
const alone = (make: (bounds?: Bounds) => Effect.Effect<Journal>): Laws.Journals["open"] => (bounds) =>
  Effect.map(make(bounds), (journal) => Effect.succeed(journal))

const keeps = (laws: ReadonlyArray<Law>) => {
  for (const law of laws) it.effect(law.name, () => Effect.provide(law.check, Logger.layer([])))
}

describe("the laws of engines and nodes", () => {
  keeps(Laws.ofEngine(engine))
  keeps(Laws.ofNodes(engine))
})

describe("the laws of journals", () => {
  keeps(Laws.ofJournal({ name: "a journal of memory", ...timing, open: alone(MemoryNodes.makeJournal) }))

  const store = Effect.provide(KeyValueStore.KeyValueStore, KeyValueStore.layerMemory)
  keeps(Laws.ofJournal({
    name: "a journal in a KeyValueStore",
    ...timing,
    open: alone((bounds) => Effect.flatMap(store, (store) => KeyValueJournal.make(store, bounds)))
  }))
})
