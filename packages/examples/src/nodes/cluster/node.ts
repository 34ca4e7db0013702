/** A node of a trial as a process: an MCP server over HTTP whose sessions are on an engine. */
import { NodeRuntime } from "@effect/platform-node"
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { McpHttp, McpServer } from "@parley/mcp"
import { Journal, Mesh } from "@parley/mesh"
import { NatsClient, NatsNodes } from "@parley/nats"
import { NodeHttp } from "@parley/node"
import { RedisNodes } from "@parley/redis"
import { Context, Effect, Layer, Redacted } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Settings } from "./Cluster.ts"
import * as Ledger from "./Ledger.ts"
import * as Program from "./Program.ts"
import * as Tools from "./Tools.ts"

const settings = Program.settings<Settings>()

const keys = [Redacted.make(settings.key)]

/** The mesh and the journal of each engine, reached through the link of this node. */
const engines: { readonly [name in Settings["engine"]]: Layer.Layer<Mesh.Mesh | Journal.Journal, unknown> } = {
  redis: RedisNodes.layer({ keys }).pipe(
    Layer.provide(NodeRedis.layer({ url: `redis://127.0.0.1:${settings.port}` }))
  ),
  nats: NatsNodes.layer({ keys }).pipe(
    Layer.provide(NatsClient.layer({ servers: `127.0.0.1:${settings.port}` }))
  )
}

/** Whether the engine takes writes: what the edge asks. */
const ready = Effect.flatMap(Mesh.Mesh, (mesh) =>
  Effect.scoped(mesh.claim(`ready/${mesh.node}`)).pipe(
    // Another check has it just now.
    Effect.catchTag("Claimed", () => Effect.void),
    Effect.timeout("1 second"),
    Effect.match({
      onFailure: () => HttpServerResponse.empty({ status: 503 }),
      onSuccess: () => HttpServerResponse.empty({ status: 200 })
    })
  ))

const route = Effect.gen(function*() {
  const ledger = Ledger.open(settings.ledger)
  const mesh = Ledger.claiming(yield* Mesh.Mesh, ledger)
  const journal = Ledger.appending(yield* Journal.Journal, ledger)
  const server = yield* McpServer.make({ name: "nodes", version: "1.0.0", features: Tools.make(ledger) })
  const endpoint = yield* McpHttp.endpoint(server, { mesh, journal })
  yield* NodeHttp.route(endpoint, { path: "/mcp" })
})

const node = NodeHttp.layerHost({ port: 0, health: "/health", fallback: ready }, Layer.effectDiscard(route)).pipe(
  Layer.provide(engines[settings.engine])
)

const program = Effect.gen(function*() {
  const { address } = Context.get(yield* Layer.build(node), NodeHttp.NodeHost)
  Program.serve(() => {
    globalThis.gc?.()
    Program.say(process.memoryUsage().heapUsed)
  })
  Program.say(address)
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.scoped(program))
