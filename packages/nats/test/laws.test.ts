/** The laws of engines and journals, over a server in memory. `laws.slow.test.ts` has a real one. */
import { it } from "@effect/vitest"
import { Laws } from "@parley/conformance"
import type { Journal, MeshEngine } from "@parley/mesh"
import { type NatsClient, NatsNodes } from "@parley/nats"
import { Effect, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { FakeNats } from "./support/fake/FakeNats.ts"

const timing = { lease: 3_000, patience: 60_000, wait: (milliseconds: number) => TestClock.adjust(milliseconds) }

const outages = <A>(
  make: (client: NatsClient.NatsClient) => Effect.Effect<A, unknown, Scope.Scope>
): ReadonlyArray<Laws.Outage<A>> =>
  ["restarted", "emptied"].map((name) => ({
    name,
    isEmptied: name === "emptied",
    ownersFirst: true,
    open: Effect.map(FakeNats.make(), (nats) => ({
      connect: Effect.flatMap(nats.connected, ({ client }) => make(client)),
      begin: Effect.sync(() => nats.stop()),
      end: Effect.sync(() => nats.start(name === "emptied"))
    }))
  }))

const engine: Laws.Engines = {
  name: "the engine of NATS",
  ...timing,
  open: Effect.map(
    FakeNats.make(),
    (nats) => Effect.flatMap(nats.connected, ({ client }) => NatsNodes.makeEngine(client))
  ),
  narrow: Effect.map(
    FakeNats.make(),
    (nats) => Effect.flatMap(nats.connectedWith(200_000), ({ client }) => NatsNodes.makeEngine(client))
  ),
  outages: outages<MeshEngine.MeshEngine>((client) => NatsNodes.makeEngine(client)),
  cut: Effect.map(FakeNats.make(), (nats) => {
    const cuts: Array<(isCut: boolean) => void> = []
    const all = (isCut: boolean) =>
      Effect.sync(() => {
        for (const cut of cuts) cut(isCut)
      })
    return {
      connect: Effect.flatMap(nats.connected, ({ client, cut }) => {
        cuts.push(cut)
        return NatsNodes.makeEngine(client)
      }),
      aside: Effect.flatMap(nats.connected, ({ client }) => NatsNodes.makeEngine(client)),
      begin: all(true),
      end: all(false)
    }
  })
}

const journal: Laws.Journals = {
  name: "the journal of NATS",
  ...timing,
  open: (bounds) =>
    Effect.map(
      FakeNats.make(),
      (nats) => Effect.flatMap(nats.connected, ({ client }) => NatsNodes.makeJournal(client, bounds))
    ),
  outages: outages<Journal.Journal>((client) => NatsNodes.makeJournal(client))
}

const laws = [
  ...Laws.ofEngine(engine, { runs: 5 }),
  ...Laws.ofNodes(engine),
  ...Laws.ofJournal(journal, { runs: 20 })
]

for (const law of laws) it.effect(law.name, () => Effect.provide(law.check, Logger.layer([])))
