/**
 * A node and a journal over one Redis: what a server needs to run on more than one machine.
 *
 * @since 0.1.0
 */
import type { Journal } from "@parley/mesh/Journal"
import type { Mesh } from "@parley/mesh/Mesh"
import type { Overloaded } from "@parley/mesh/MeshError"
import * as MeshNode from "@parley/mesh/MeshNode"
import * as Layer from "effect/Layer"
import type * as Redis from "effect/persistence/Redis"
import * as RedisEngine from "./RedisEngine.ts"
import * as RedisJournal from "./RedisJournal.ts"

/**
 * The options of a node over Redis, and of its journal.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends RedisEngine.Options, RedisJournal.Options, MeshNode.Options {}

/** A node and a journal over the `Redis`. A new layer at each call. @category layers @since 0.1.0 */
export const layer = (options: Options = {}): Layer.Layer<Mesh | Journal, Overloaded, Redis.Redis> =>
  Layer.merge(
    Layer.provide(MeshNode.layer(options), RedisEngine.layer(options)),
    RedisJournal.layer(options)
  )
