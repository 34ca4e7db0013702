/**
 * Makes the nodes of a mesh, over any engine.
 *
 * A node does what is the same for all engines: leases and their beat, acknowledgement, bounds, the pace of answers, and
 * the detection of dead nodes.
 *
 * ```ts run
 * import { MemoryNodes, MeshNode } from "@parley/mesh"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const engine = yield* MemoryNodes.makeEngine
 *   const ada = yield* MeshNode.make(engine, { name: "ada", lease: "1 second" })
 *   const bob = yield* MeshNode.make(engine, { name: "bob", lease: "1 second" })
 *   yield* ada.serve("clock", () => Effect.succeed("noon"))
 *   console.log(yield* Stream.runCollect(bob.call({ name: "clock", node: ada.node }, "now"))) // => [ 'noon' ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as MemoryEngine from "./internal/memory/MemoryEngine.ts"
import type { Overloaded } from "./internal/MeshError.ts"
import { Node } from "./internal/Node.ts"
import * as SignedEngine from "./internal/SignedEngine.ts"
import { Mesh } from "./Mesh.ts"
import { MeshEngine } from "./MeshEngine.ts"

/**
 * How the texts between nodes are authenticated.
 *
 * - Secrets of the fleet, of at least 32 characters each, which all nodes have: each text then carries a tag of the first, and
 *   a node takes only texts with a valid tag of any of them. To rotate, add a new one behind, everywhere; then put it in
 *   front; then drop the old one.
 * - `"unsigned"`: not at all. Whoever can write to the engine can then speak as a node, and call as any principal.
 *
 * @category models
 * @since 0.1.0
 */
export type Keys = ReadonlyArray<Redacted.Redacted> | "unsigned"

/**
 * The options of a node whose engine is the memory of its process.
 *
 * @category models
 * @since 0.1.0
 */
export interface LocalMeshNodeOptions {
  /** The beginning of its name, for people who read logs. `node` by default. */
  readonly name?: string | undefined
  /**
   * How long a node may be silent until it counts as dead. 3 seconds by default: three beats, one of which may be late.
   */
  readonly lease?: Duration.Input | undefined
  /**
   * The weight of texts that are being answered at once: their characters, and 256 for each. 64 Mi by default; a text
   * that comes alone always fits. As much, and at least 64 Mi, may wait for the check of its tag where there are `keys`.
   */
  readonly inbox?: number | undefined
  /** How texts are authenticated. `"unsigned"` by default: only this process can write to its memory. */
  readonly keys?: Keys | undefined
  /** The weight of one answer that its caller has not read, beyond which the handler waits. 1 Mi by default. */
  readonly window?: number | undefined
}

/**
 * The options of a node whose engine others can reach.
 *
 * @category models
 * @since 0.1.0
 */
export interface MeshNodeOptions extends LocalMeshNodeOptions {
  /** How texts are authenticated. It has no default: a fleet without keys has to say so. */
  readonly keys: Keys
}

/**
 * A node over an engine, until the Scope closes: then its keys are free at once. Only over an engine in memory may `keys` be
 * left out.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: {
  (engine: MemoryEngine.MemoryEngine, options?: LocalMeshNodeOptions): Effect.Effect<Mesh, Overloaded, Scope.Scope>
  (engine: MeshEngine, options: MeshNodeOptions): Effect.Effect<Mesh, Overloaded, Scope.Scope>
} = (engine: MeshEngine, options: LocalMeshNodeOptions = {}): Effect.Effect<Mesh, Overloaded, Scope.Scope> =>
  Effect.contextWith((context: Context.Context<never>) => {
    const { inbox = 67_108_864, keys = "unsigned", lease = "3 seconds", name = "node", window = 1_048_576 } = options
    const carrier = keys === "unsigned"
      ? engine
      : SignedEngine.make(engine, keys, context, Math.max(inbox, SignedEngine.mostUnchecked))
    const node = new Node(carrier, {
      node: `${name}-${crypto.randomUUID()}`,
      lease: Duration.toMillis(Duration.fromInputUnsafe(lease)),
      inbox,
      window,
      context
    })
    return Effect.as(
      Effect.andThen(
        Effect.addFinalizer(() => node.close),
        carrier.subscribe(node.node, node.take)
      ),
      node
    )
  })

/**
 * A node over the `MeshEngine`. With `keys: "unsigned"`, the log has a warning. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: MeshNodeOptions): Layer.Layer<Mesh, Overloaded, MeshEngine> =>
  Layer.effect(
    Mesh,
    Effect.andThen(
      said(options.keys),
      Effect.flatMap(MeshEngine, (engine) => make(engine, options))
    )
  )

const unsigned = "the nodes have no keys (`unsigned`): whoever can write to their engine can call as any principal"

/** A program that is not checked by types may lack `keys`. */
const said = (keys: Keys | undefined): Effect.Effect<void> => {
  if (keys === undefined) return Effect.die(new TypeError("`keys` is missing: the secrets of the fleet, or `unsigned`"))
  return keys === "unsigned" ? Effect.logWarning(unsigned) : Effect.void
}

/**
 * A node that is alone. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory = (options: LocalMeshNodeOptions = {}): Layer.Layer<Mesh> =>
  // Memory can always be reached, and only by this process.
  Layer.orDie(Layer.effect(Mesh, Effect.flatMap(MemoryEngine.makeEngine, (engine) => make(engine, options))))
