/**
 * A node and a journal over one Redis: what a server needs to run on more than one machine.
 *
 * ```ts
 * import * as NodeRedis from "@effect/platform-node/NodeRedis"
 * import { McpHttp, McpServer } from "@parley/mcp"
 * import { RedisNodes } from "@parley/redis"
 * import { Layer, type Redacted } from "effect"
 *
 * declare const key: Redacted.Redacted
 *
 * const nodes = Layer.provide(RedisNodes.layer({ keys: [key] }), NodeRedis.layer({ url: "redis://127.0.0.1:6379" }))
 *
 * // Any process with this Redis serves a request of any session.
 * export const route = McpHttp.layer().pipe(
 *   Layer.provide(McpServer.layer({ name: "clock", version: "1.0.0", features: [] })),
 *   Layer.provide(nodes)
 * )
 * ```
 *
 * @since 0.1.0
 */
import type { Journal } from "@parley/mesh/Journal"
import type { Mesh, Overloaded } from "@parley/mesh/Mesh"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as Layer from "effect/Layer"
import type * as Redis from "effect/persistence/Redis"
import * as RedisEngine from "./internal/RedisEngine.ts"
import * as RedisJournal from "./internal/RedisJournal.ts"

export { layerJournal, makeJournal, type RedisJournalOptions } from "./internal/RedisJournal.ts"

export { layerEngine, makeEngine, type RedisEngineOptions } from "./internal/RedisEngine.ts"

/**
 * The options of a node over Redis, and of its journal.
 *
 * @category models
 * @since 0.1.0
 */
export interface RedisNodesOptions
  extends RedisEngine.RedisEngineOptions, RedisJournal.RedisJournalOptions, MeshNode.MeshNodeOptions
{}

/** A node and a journal over the `Redis`. A new layer at each call. @category layers @since 0.1.0 */
export const layer = (options: RedisNodesOptions): Layer.Layer<Mesh | Journal, Overloaded, Redis.Redis> =>
  Layer.merge(
    Layer.provide(MeshNode.layer(options), RedisEngine.layerEngine(options)),
    RedisJournal.layerJournal(options)
  )
