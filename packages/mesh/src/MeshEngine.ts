/**
 * The port below a `Mesh`: a store that all nodes reach, and a way to get a text from one to another.
 *
 * An engine keeps three things. Nodes live as long as they `beat`. Keys have an owner, which is a node, and an epoch that
 * only ever grows. Names have members. It must deliver a text at most once, and texts from one node to another in
 * the order in which `publish` began. `Mesh` adds acknowledgement, bounds and the detection of dead nodes. An operation
 * that an engine cannot do fails with `Overloaded` within a bounded time.
 *
 * ```ts run
 * import { MemoryNodes, type MeshEngine } from "@parley/mesh"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const engine: MeshEngine.MeshEngine = yield* MemoryNodes.makeEngine
 *   yield* engine.beat("ada", 3_000)
 *   console.log((yield* engine.claim("session/1", "ada")).epoch) // => 1
 *   // Another node that claims the key learns who owns it.
 *   console.log((yield* engine.claim("session/1", "bob")).node) // => ada
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Overloaded } from "./internal/MeshError.ts"

/**
 * The owner of a key, and the claim since which it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ownership {
  /** The node that owns the key. */
  readonly node: string
  /** The number of its claim, above those of all earlier claims of the key. */
  readonly epoch: number
}

/**
 * A store and a carrier that all nodes share.
 *
 * @category services
 * @since 0.1.0
 */
export interface MeshEngine {
  /**
   * Keeps a node alive for so many milliseconds from now. Gives `false` where it had counted as dead: then it has to `keep`
   * its keys, and to join its names again.
   */
  readonly beat: (node: string, milliseconds: number) => Effect.Effect<boolean, Overloaded>
  /** The node has ended: its keys are free, and it is a member of nothing. */
  readonly leave: (node: string) => Effect.Effect<void, Overloaded>

  /**
   * Gives the key to the node, with an epoch above all that the key ever had, also where the node owns it already. Where
   * another live node owns it, nothing changes, and the answer is the ownership of that node.
   */
  readonly claim: (key: string, node: string) => Effect.Effect<Ownership, Overloaded>
  /**
   * Gives the key back to a node that has counted as dead meanwhile, or keeps it for it. `false` where another has claimed
   * it since. An engine that was away itself lets owners do this for a lease before it gives their keys to others.
   */
  readonly keep: (key: string, ownership: Ownership) => Effect.Effect<boolean, Overloaded>
  /** Frees the key, if this ownership is still the current one. */
  readonly release: (key: string, ownership: Ownership) => Effect.Effect<void, Overloaded>
  /**
   * The live node that owns the key; `undefined` where there is none. An engine that has come back without what it knew
   * fails with `Overloaded` for a key that it does not know, until owners have had a lease to come back.
   */
  readonly owner: (key: string) => Effect.Effect<string | undefined, Overloaded>

  /** Makes the node a member of the name. */
  readonly join: (name: string, node: string) => Effect.Effect<void, Overloaded>
  /** Ends the membership of the node. */
  readonly part: (name: string, node: string) => Effect.Effect<void, Overloaded>
  /** The live members of a name, as this connection knows them: changes by other nodes arrive on their own, in order. */
  readonly members: (name: string) => Effect.Effect<ReadonlyArray<string>, Overloaded>

  /**
   * Sends a text from one node to another. `false` where the engine knows that the other does not listen, now: the text was
   * not delivered, and may be sent again. A failure means the same; an engine that does not know gives `true`.
   */
  readonly publish: (node: string, to: string, text: string) => Effect.Effect<boolean, Overloaded>
  /** Calls a function with each text for the node, until the Scope closes. The function does not wait. */
  readonly subscribe: (node: string, onText: (text: string) => void) => Effect.Effect<void, Overloaded, Scope.Scope>
}

/** The service of a `MeshEngine`. @category services @since 0.1.0 */
export const MeshEngine: Context.Service<MeshEngine, MeshEngine> = Context.Service("@parley/mesh/MeshEngine")
