/** The laws of engines and journals, over a real server that is restarted, emptied, stopped, and cut off. */
import { it } from "@effect/vitest"
import { Laws } from "@parley/conformance"
import type { Journal, MeshEngine } from "@parley/mesh"
import { NatsClient, NatsNodes } from "@parley/nats"
import { Effect, type Scope } from "effect"
import * as Link from "../../examples/src/nodes/cluster/Link.ts"
import * as NatsServer from "./support/NatsServer.ts"

/** A server that stands still is given up before a lease has run out twice, and before the laws lose their patience. */
const timeout = "2 seconds"
const timing = { lease: 3_000, patience: 30_000 }

const engineAt = (servers: string, pending?: number): Laws.Connect =>
  Effect.flatMap(NatsClient.make({ servers, timeout, pending }), (client) => NatsNodes.makeEngine(client))

const journalAt = (servers: string, bounds?: Journal.Bounds) =>
  Effect.flatMap(NatsClient.make({ servers, timeout }), (client) => NatsNodes.makeJournal(client, bounds))

/** A way in which the server is out of reach, with the connections that `connect` makes. */
const outages = <A>(
  connect: (servers: string) => Effect.Effect<A, unknown, Scope.Scope>
): ReadonlyArray<Laws.Outage<A>> => {
  const outage = (
    name: string,
    begin: (server: NatsServer.NatsServer) => Effect.Effect<void>,
    end: (server: NatsServer.NatsServer) => Effect.Effect<void>
  ): Laws.Outage<A> => ({
    name,
    isEmptied: name === "emptied",
    ownersFirst: true,
    open: Effect.map(NatsServer.make(), (server) => ({
      connect: connect(server.address),
      begin: begin(server),
      end: end(server)
    }))
  })
  return [
    outage("restarted", ({ stop }) => stop, ({ start }) => start()),
    outage("emptied", ({ stop }) => stop, ({ start }) => start({ isEmpty: true })),
    outage("standing still", ({ pause }) => pause, ({ resume }) => resume)
  ]
}

const engine: Laws.Engines = {
  ...timing,
  name: "the engine of NATS",
  open: Effect.map(NatsServer.make(), ({ address }) => engineAt(address)),
  narrow: Effect.map(NatsServer.make(), ({ address }) => engineAt(address, 200_000)),
  outages: outages<MeshEngine.MeshEngine>((address) => engineAt(address)),
  cut: Effect.gen(function*() {
    const { address } = yield* NatsServer.make()
    const { close, mend, port } = yield* Link.make(Number(address.split(":")[1]))
    return {
      connect: engineAt(`127.0.0.1:${port}`),
      aside: engineAt(address),
      begin: Effect.sync(close),
      end: Effect.sync(mend)
    }
  })
}

const journal: Laws.Journals = {
  name: "the journal of NATS",
  open: (bounds) => Effect.map(NatsServer.make(), ({ address }) => journalAt(address, bounds)),
  outages: outages<Journal.Journal>(journalAt)
}

NatsServer.suites("with a real server", () => {
  const laws = [...Laws.ofEngine(engine), ...Laws.ofNodes(engine), ...Laws.ofJournal(journal, { runs: 20 })]
  // Each has a server of its own, and mostly waits.
  for (const law of laws) it.live(law.name, () => law.check, { concurrent: true })
})
