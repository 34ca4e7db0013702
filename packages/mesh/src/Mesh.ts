/**
 * The port between a program and the other machines that it runs on: which node owns a key, and texts to that node.
 *
 * A **key** has one owner at a time. A node that claims it gets a `Lease` with an epoch that only ever grows, so that a
 * store can refuse what an older owner still writes. A node that dies loses its keys within `lease`.
 *
 * A **name** is served by any number of nodes. A text for a key reaches the node that owns it, under the name that the
 * key begins with: `session/1` and `session/2` are keys of the name `session`.
 *
 * A text is answered with texts, which the caller reads as a Stream. The reader sets the pace. When it stops reading, the
 * handler is interrupted. When the node that answers dies, the Stream fails with `OwnerGone`. Where no node takes a text,
 * sending it fails.
 *
 * `MeshNode` makes nodes, over a `MeshEngine` that all of them share.
 *
 * ```ts run
 * import { Mesh, MeshNode } from "@parley/mesh"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const mesh = yield* Mesh.Mesh
 *   yield* mesh.serve("session", ({ at, text }) => Effect.succeed(`${at} got ${text}`))
 *   const lease = yield* mesh.claim("session/1")
 *   const answers = yield* Stream.runCollect(mesh.call({ key: "session/1" }, "hello"))
 *   console.log(lease.epoch, answers) // => 1 [ 'session/1 got hello' ]
 *   console.log((yield* Effect.flip(mesh.send({ key: "session/2" }, "hello"))).message)
 *   // => no node takes what is sent to session/2: nobody owns or serves it
 * })
 *
 * // One node that is alone. `RedisNodes` and `NatsNodes` make nodes of several machines.
 * await program.pipe(Effect.scoped, Effect.provide(MeshNode.layerMemory()), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Claimed, NoOwner, Overloaded, OwnerGone } from "./internal/MeshError.ts"

export { Claimed, Fenced, NoOwner, Overloaded, OwnerGone } from "./internal/MeshError.ts"

/**
 * A key that this node owns, until the Scope of its claim closes, or `lost`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lease {
  /** The key that is owned. */
  readonly key: string
  /** Above that of every earlier lease of the key: a fencing token for what the owner writes. */
  readonly epoch: number
  /** Ends when the node counts as dead, so that another may own the key now. */
  readonly lost: Effect.Effect<void>
  /**
   * Asks the engine whether this is still the newest claim of the key, also where a later one was freed again. It is for
   * stores that do not know epochs.
   */
  readonly isNewest: Effect.Effect<boolean, Overloaded>
}

/**
 * A place that takes texts: the owner of a key, or a node that serves a name.
 *
 * @category models
 * @since 0.1.0
 */
export type Address = { readonly key: string } | { readonly name: string; readonly node: string }

/**
 * All other nodes that serve a name.
 *
 * @category models
 * @since 0.1.0
 */
export interface Group {
  /** The name that they serve. */
  readonly name: string
}

/**
 * A text that came.
 *
 * @category models
 * @since 0.1.0
 */
export interface Message {
  /** The node that sent it. */
  readonly from: string
  /** The key or the name that it was sent to. */
  readonly at: string
  /** The text itself. */
  readonly text: string
}

/**
 * Handles the texts of a name. `answer` sends a text back, and waits while the caller does not read; the value of the effect
 * is the last answer. A text that came by `send` has no caller, and its answers are dropped. The handler is interrupted when
 * its caller has left or died.
 *
 * @category models
 * @since 0.1.0
 */
export type Handler = (
  message: Message,
  answer: (text: string) => Effect.Effect<void>
) => Effect.Effect<string | void>

/** The errors of a text that was not taken, or not answered to the end. @category models @since 0.1.0 */
export type SendError = NoOwner | OwnerGone | Overloaded

/**
 * One node among others.
 *
 * @category services
 * @since 0.1.0
 */
export interface Mesh {
  /** The name of this node. It is unique, and another one after a restart. */
  readonly node: string

  /**
   * Claims a key until the Scope closes, and renews the claim meanwhile. Fails with `Claimed` where another live node, or
   * another claim of this node, owns the key.
   */
  readonly claim: (key: string) => Effect.Effect<Lease, Claimed | Overloaded, Scope.Scope>

  /** The live node that owns a key; `undefined` where there is none. Fails with `Overloaded` while that is not known. */
  readonly owner: (key: string) => Effect.Effect<string | undefined, Overloaded>

  /**
   * Takes what is sent to a name, and to the keys of it that this node owns, until the Scope closes. Handlers start in the
   * order in which a sender has sent, and run at once. Beyond the weight of `inbox`, senders get `Overloaded`. A name that
   * this node serves already is a defect.
   */
  readonly serve: (name: string, handler: Handler) => Effect.Effect<void, Overloaded, Scope.Scope>

  /** Sends a text, and gives the texts that answer it. */
  readonly call: (to: Address, text: string) => Stream.Stream<string, SendError>

  /**
   * Sends a text, and ends when it was taken; by all of them, if it is for a group. Where some have not taken it, the error
   * is that of one of those, and the others have.
   */
  readonly send: (to: Address | Group, text: string) => Effect.Effect<void, SendError>
}

/** The service of a `Mesh`. @category services @since 0.1.0 */
export const Mesh: Context.Service<Mesh, Mesh> = Context.Service("@parley/mesh/Mesh")
