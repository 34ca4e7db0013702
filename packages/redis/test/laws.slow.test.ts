/** The laws of engines and journals, on real servers: well, killed, emptied, standing still, and cut off. */
import { NodeRedis } from "@effect/platform-node"
import { afterAll, beforeAll, it } from "@effect/vitest"
import * as Laws from "@parley/conformance/Laws"
import type { Law } from "@parley/conformance/Laws"
import * as RedisNodes from "@parley/redis/RedisNodes"
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import type * as Redis from "effect/persistence/Redis"
import * as Link from "../../examples/src/nodes/cluster/Link.ts"
import * as RedisServer from "./support/RedisServer.ts"

const timing = { lease: 1_000, patience: 30_000 }
const options = { lease: timing.lease }

/** Without faults, a busy machine may still take its time. */
const patient = { ...options, timeout: "10 seconds" } as const

/** A process more, whose client reaches the server at a port. */
const connected = <A>(port: number, made: Effect.Effect<A, never, Redis.Redis | Scope.Scope>) =>
  Effect.flatMap(
    Layer.build(Layer.fresh(NodeRedis.layer({ url: `redis://127.0.0.1:${port}` }))),
    (client) => Effect.provide(made, client)
  )

/** A server that has run for longer than owners are waited for. */
const running = Effect.tap(RedisServer.make(), () => Effect.sleep(2 * timing.lease))

/** The ways in which a server is away. */
const outages = <A>(made: Effect.Effect<A, never, Redis.Redis | Scope.Scope>): ReadonlyArray<Laws.Outage<A>> => {
  const outage = (
    name: string,
    begin: (server: RedisServer.RedisServer) => Effect.Effect<void>,
    end: (server: RedisServer.RedisServer) => Effect.Effect<void>
  ): Laws.Outage<A> => ({
    name,
    isEmptied: name === "emptied",
    ownersFirst: true,
    open: Effect.map(running, (server) => ({
      connect: connected(server.port, made),
      begin: begin(server),
      end: end(server)
    }))
  })
  return [
    outage("killed", (server) => server.stop("data"), (server) => server.start),
    outage("emptied", (server) => server.stop("nothing"), (server) => server.start),
    outage("standing still", (server) => server.pause, (server) => server.resume),
    {
      name: "behind a silent link",
      ownersFirst: true,
      open: Effect.gen(function*() {
        const server = yield* running
        const { mend, port, stall } = yield* Link.make(server.port)
        return { connect: connected(port, made), begin: Effect.sync(stall), end: Effect.sync(mend) }
      })
    }
  ]
}

/** Engines whose way to the server is closed. */
const cut = Effect.gen(function*() {
  const server = yield* running
  const link = yield* Link.make(server.port)
  const made = RedisNodes.makeEngine(options)
  return {
    connect: connected(link.port, made),
    aside: connected(server.port, made),
    begin: Effect.sync(link.close),
    end: Effect.sync(link.mend)
  }
})

RedisServer.stories("over Redis", () => {
  const scope = Scope.makeUnsafe()
  let port = 0
  let lives = 0
  beforeAll(async () => {
    port = (await Effect.runPromise(Scope.provide(running, scope))).port
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  /** Processes that have keys of their own on the server that runs for all. */
  const open = <A>(make: (prefix: string) => Effect.Effect<A, never, Redis.Redis | Scope.Scope>) =>
    Effect.sync(() => {
      const prefix = `{law ${++lives}}:`
      return connected(port, make(prefix))
    })

  const keeps = (laws: ReadonlyArray<Law>) => {
    for (const law of laws) it.live(law.name, () => Effect.provide(law.check, Logger.layer([])), 120_000)
  }

  const engines: Laws.Engines = {
    name: "an engine over Redis",
    ...timing,
    open: open((prefix) => RedisNodes.makeEngine({ ...patient, prefix })),
    narrow: open((prefix) => RedisNodes.makeEngine({ ...patient, prefix, pending: 200_000 })),
    outages: outages(RedisNodes.makeEngine(options)),
    cut
  }

  keeps(Laws.ofEngine(engines))
  keeps(Laws.ofNodes(engines))
  keeps(Laws.ofJournal({
    name: "a journal in Redis",
    ...timing,
    open: (bounds) => open((prefix) => RedisNodes.makeJournal({ ...patient, ...bounds, prefix })),
    outages: outages(RedisNodes.makeJournal())
  }))
})
