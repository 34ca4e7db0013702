/**
 * The members of a contract without the types of their parts. `Contract` exports these types, too.
 */
import type { PeerService } from "@parley/peer/Peer"
import type { ReconnectingService } from "@parley/peer/Reconnecting"
import type { CallsBack } from "@parley/peer/Router"

/**
 * A method, a notification or a subscription. It has no type parameters: as a constraint, those of the widest method
 * would be inferred for options that a narrower one leaves out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Member {
  /** Its kind. */
  readonly _tag: "Method" | "Notification" | "Subscription"
}

/**
 * The mark of a member whose handlers call the other side back: the option `callsBack`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Callback {
  readonly callsBack: true
}

/** The mark of a member by its option. An option that is known as a boolean only may be true. */
export type Marked<Back extends boolean> = [Back] extends [false] ? unknown : Callback

/** The mark that another member has. */
export type MarkOf<M> = M extends Callback ? Callback : unknown

/** The members that call back. */
type Callbacks<M extends Members> = Extract<M[keyof M], Callback>

/** The requirement of handlers of these members on their wires. @category models @since 0.1.0 */
export type WayBack<M extends Members> = [Callbacks<M>] extends [never] ? never : CallsBack

/**
 * Identifies a caller whose other side can call back, which the client of a contract requires that has such methods: a
 * `Peer` or a `Reconnecting`, either of which provides it.
 *
 * @category services
 * @since 0.1.0
 */
export interface DuplexCaller extends PeerService, ReconnectingService {}

/** The requirement of the client of these members beside a caller. @category models @since 0.1.0 */
export type CallableBack<M extends Members> = [Callbacks<M>] extends [never] ? never : DuplexCaller

/** Members by their name on the wire. @category models @since 0.1.0 */
export type Members = { readonly [name: string]: Member }
