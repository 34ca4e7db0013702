/** Nodes that serve the same over one memory engine, with a store and a journal that they share. */
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as HttpRoute from "@parley/http/HttpRoute"
import type * as SessionStore from "@parley/mcp/http/SessionStore"
import * as McpHttp from "@parley/mcp/McpHttp"
import type { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import type * as Mesh from "@parley/mesh/Mesh"
import type { MeshEngine } from "@parley/mesh/MeshEngine"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Effect, Exit, Fiber, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Sample, sample } from "../../http-server/support/sample.ts"
import * as web from "../../http-server/support/web.ts"
import { settled } from "../../support/settled.ts"

export interface Member extends Sample {
  readonly endpoint: HttpEndpoint
  readonly mesh: Mesh.Mesh
  readonly client: web.Client
  /** What its host does before it closes it: its streams may say something last, and what others asked for is awaited. */
  readonly drain: Effect.Effect<void>
  /** Ends it in order. */
  readonly close: Effect.Effect<void>
}

export interface Cluster {
  readonly engine: MemoryNodes.MemoryEngine
  readonly journal: Journal
  readonly records: ReadonlyMap<string, SessionStore.SessionRecord>
  readonly nodes: readonly [Member, Member]
}

/** Two nodes. `around` wraps the engine as each of them sees it, `kept` the store. */
export const cluster = (
  options: McpHttp.McpHttpOptions = {},
  around: (engine: MemoryNodes.MemoryEngine, node: string) => MeshEngine = (engine) => engine,
  kept: (store: SessionStore.SessionStore) => SessionStore.SessionStore = (store) => store
): Effect.Effect<Cluster, never, Scope.Scope> =>
  Effect.gen(function*() {
    const engine = yield* MemoryNodes.makeEngine
    const journal = yield* MemoryNodes.makeJournal()
    const records = new Map<string, SessionStore.SessionRecord>()
    const store = kept({
      get: (id) => Effect.sync(() => Option.fromUndefinedOr(records.get(id))),
      fence: () => Effect.void,
      put: (id, record) => Effect.sync(() => records.set(id, record).has(id)),
      remove: (id) => Effect.sync(() => records.delete(id))
    })
    const member = (name: string): Effect.Effect<Member, never, Scope.Scope> =>
      Effect.gen(function*() {
        const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
        const mesh = yield* Effect.orDie(
          Scope.provide(MeshNode.make(around(engine, name), { keys: "unsigned", name }), scope)
        )
        const own = yield* sample
        const endpoint = yield* Scope.provide(
          McpHttp.endpoint(own.server, { journal, ...options, mesh, store }),
          scope
        )
        return {
          ...own,
          endpoint,
          mesh,
          client: web.over("http://localhost/mcp", HttpRoute.webHandler(endpoint)),
          drain: Effect.andThen(endpoint.closing ?? Effect.void, endpoint.drained ?? Effect.void),
          close: Scope.close(scope, Exit.void)
        }
      })
    return { engine, journal, records, nodes: [yield* member("a"), yield* member("b")] }
  })

/** The same visitor, whose requests reach another node. */
export const at = ({ headers, id }: web.Visitor, { client }: Member): web.Visitor => ({
  id,
  headers,
  post: (message, own) => client.post(message, { ...headers, ...own }),
  get: (lastEventId) => client.send("GET", { ...headers, accept: "text/event-stream", "last-event-id": lastEventId }),
  remove: client.send("DELETE", headers)
})

/** Lets time pass until a fiber has ended, for ten seconds at most. */
export const inTime = <A>(fiber: Fiber.Fiber<A>): Effect.Effect<A> =>
  Effect.gen(function*() {
    yield* settled
    for (let times = 0; times < 40 && fiber.pollUnsafe() === undefined; times++) {
      yield* TestClock.adjust("250 millis")
      yield* settled
    }
    return yield* Fiber.join(fiber)
  })

/** A session of the first of two nodes, seen from both. */
export const visited = Effect.fnUntraced(function*(
  options: McpHttp.McpHttpOptions = {},
  capabilities: web.Json = {},
  headers: web.Headers = {}
) {
  const { nodes, ...shared } = yield* cluster(options)
  const [owner, other] = nodes
  const here = yield* web.visit(owner.client, "2025-11-25", capabilities, headers)
  return { ...shared, owner, other, here, there: at(here, other) }
})
