/**
 * The engine of NATS: nodes and leases are records of a JetStream stream, and texts go from node to node as messages.
 *
 * - A record is written only if it has not changed since it was read. The time is always that of the server.
 * - Sending a text to a node that does not listen fails at once, because the server says so. A text larger than a message
 *   is split.
 * - After a restart of the server, even without its records, the keys of silent nodes stay reserved for the length of a
 *   lease.
 *
 * It needs a server from 2.9 on.
 *
 * ```ts
 * import { MeshNode } from "@parley/mesh"
 * import { NatsClient, NatsNodes } from "@parley/nats"
 * import { Layer, type Redacted } from "effect"
 *
 * declare const key: Redacted.Redacted
 *
 * // A `Mesh` whose nodes are all processes with this NATS and this prefix.
 * export const mesh = MeshNode.layer({ keys: [key], lease: "5 seconds" }).pipe(
 *   Layer.provide(NatsNodes.layerEngine({ prefix: "shop", replicas: 3 })),
 *   Layer.provide(NatsClient.layer({ servers: "127.0.0.1:4222" }))
 * )
 * ```
 *
 * @since 0.1.0
 */
import { MeshEngine } from "@parley/mesh/MeshEngine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { NatsClient } from "../../NatsClient.ts"
import type { NatsError } from "../connection/NatsError.ts"
import { Beats } from "../engine/Beats.ts"
import { Keys } from "../engine/Keys.ts"
import { Nodes } from "../engine/Nodes.ts"
import { Post } from "../engine/Post.ts"
import { Store } from "../engine/Store.ts"
import { JetStream } from "../jetstream/JetStream.ts"
import * as Subject from "../jetstream/Subject.ts"
import { told } from "../Told.ts"

/**
 * The options of an engine.
 *
 * @category models
 * @since 0.1.0
 */
export interface NatsEngineOptions {
  /**
   * The beginning of the names of its subjects and streams: letters, digits, `-` and `_`. Nodes with the same prefix are one
   * mesh. `parley` by default.
   */
  readonly prefix?: string | undefined
  /** Where the server keeps the records. `file` by default: they are there when it starts again. */
  readonly storage?: "file" | "memory" | undefined
  /** On how many servers of a cluster. 1 by default. */
  readonly replicas?: number | undefined
  /** Bytes of the records of nodes and keys, some 200 for each. 64 Mi by default; beyond it, nothing more can be claimed. */
  readonly records?: number | undefined
  /** Bytes of large texts for a node, some of whose parts have not come. 64 Mi by default. */
  readonly parts?: number | undefined
}

/**
 * An engine over a connection, until the Scope closes. Fails where the server cannot be reached, or has no JetStream.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeEngine = (
  client: NatsClient,
  options: NatsEngineOptions = {}
): Effect.Effect<MeshEngine, NatsError, Scope.Scope> =>
  Effect.gen(function*() {
    const { parts = 67_108_864, prefix = "parley", records = 67_108_864, replicas = 1, storage = "file" } = options
    if (!Subject.isPrefix(prefix)) return yield* Effect.fail(Subject.refusalOfPrefix(prefix))
    const stream = new JetStream(client)
    const store = new Store(stream, { bytes: records, prefix, replicas, storage }, yield* Clock.Clock)
    const nodes = new Nodes(store, client, prefix)
    const beats = new Beats(store, prefix)
    const keys = new Keys(store, nodes, beats, prefix)
    const post = new Post(client, prefix, parts)
    for (const heard of [store.heard, nodes.heard, post.heard]) yield* heard
    yield* store.ready

    return {
      beat: (node, milliseconds) =>
        told(
          node,
          // What could not be written again is due with the next beat, which would not say that the node was dead.
          Effect.tap(
            beats.beat(node, milliseconds),
            () => Effect.ignore(Effect.andThen(store.kept, keys.refresh(node)))
          )
        ),
      leave: (node) => told(node, Effect.ensuring(beats.leave(node), Effect.sync(() => keys.forget(node)))),
      claim: (key, node) => told(key, keys.claim(key, node)),
      keep: (key, ownership) => told(key, keys.keep(key, ownership)),
      release: (key, ownership) => told(key, keys.release(key, ownership)),
      owner: (key) => told(key, keys.owner(key)),
      join: (name, node) => told(name, beats.join(name, node)),
      part: (name, node) => told(name, beats.part(name, node)),
      members: (name) => told(name, nodes.serving(name)),
      publish: (_node, to, text) => told(to, post.publish(to, text)),
      subscribe: (node, onText) => told(node, post.subscribe(node, onText))
    }
  })

/** An engine over the `NatsClient`. A new layer at each call. @category layers @since 0.1.0 */
export const layerEngine = (options: NatsEngineOptions = {}): Layer.Layer<MeshEngine, NatsError, NatsClient> =>
  Layer.effect(MeshEngine, Effect.flatMap(NatsClient, (client) => makeEngine(client, options)))
