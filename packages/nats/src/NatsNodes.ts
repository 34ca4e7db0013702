/**
 * A node and a journal over one connection to NATS: what a server needs to run on more than one machine.
 *
 * ```ts
 * import { McpHttp, McpServer } from "@parley/mcp"
 * import { NatsClient, NatsNodes } from "@parley/nats"
 * import { Layer, type Redacted } from "effect"
 *
 * declare const key: Redacted.Redacted
 *
 * const nodes = Layer.provide(NatsNodes.layer({ keys: [key] }), NatsClient.layer({ servers: "127.0.0.1:4222" }))
 *
 * // Any process with this NATS serves a request of any session.
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
import type { NatsError } from "./internal/connection/NatsError.ts"
import * as NatsEngine from "./internal/nodes/NatsEngine.ts"
import * as NatsJournal from "./internal/nodes/NatsJournal.ts"
import type { NatsClient } from "./NatsClient.ts"

export { layerJournal, makeJournal, type NatsJournalOptions } from "./internal/nodes/NatsJournal.ts"

export { layerEngine, makeEngine, type NatsEngineOptions } from "./internal/nodes/NatsEngine.ts"

/**
 * The options of a node over NATS, and of its journal.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsNodesOptions
  extends NatsEngine.NatsEngineOptions, NatsJournal.NatsJournalOptions, MeshNode.MeshNodeOptions
{}

/**
 * A node and a journal over the `NatsClient`. Fails where the server cannot be reached, or has no JetStream. A new layer at
 * each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: NatsNodesOptions): Layer.Layer<Mesh | Journal, NatsError | Overloaded, NatsClient> =>
  Layer.merge(
    Layer.provide(MeshNode.layer(options), NatsEngine.layerEngine(options)),
    NatsJournal.layerJournal(options)
  )
