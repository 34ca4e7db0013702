/**
 * The options of a conversation, and the port by which it calls its adapter: a peer, a session, a caller over posts or the
 * answer to one text.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import type * as Duration from "effect/Duration"
import type { Caller } from "../../Caller.ts"
import type { Lookup } from "../../Handler.ts"
import type { DisconnectReason } from "../CallerError.ts"
import type { Host } from "../runtime/Host.ts"
import type { ConnectionKey } from "./ConnectionKey.ts"

/** The options that a peer, a session and a caller over exchanges have in common. */
export interface AdapterOptions {
  /** How the other side uses JSON-RPC. `Dialect.jsonRpc` by default. */
  readonly dialect?: Dialect | undefined
  /**
   * How long a call waits that has no timeout of its own. 30 seconds by default; `Duration.infinity` switches it off.
   */
  readonly timeout?: Duration.Input | undefined
  /**
   * Makes the ids of requests strings that begin so: the prefix and the number that the id would be otherwise. The numbers
   * count from 1.
   */
  readonly idPrefix?: string | undefined
}

/** The adapter of a conversation. Everything is called after the state of the conversation has changed. @internal */
export interface Port {
  /**
   * Does in each step what the lanes can do now. Gives whether everything that was read is handed on, and everything is
   * written.
   */
  readonly stepped?: () => boolean
  /** Runs when no more calls can be made. */
  readonly ended?: (reason: DisconnectReason) => void
  /** Runs when the conversation is closed. */
  readonly closed?: (reason: DisconnectReason) => void
  /** The conversation that stands for this one now, where this one may be let go. */
  readonly current?: () => Pick<Caller, "listen" | "pause">
}

/** @internal */
export interface ConversationOptions extends AdapterOptions {
  readonly host: Host
  readonly limits: Limits
  /** What the other side may call. */
  readonly router?: Lookup | undefined
  /** Milliseconds that it may take to drain; without it, it waits for its handlers as long as they take. */
  readonly drain?: number | undefined
  /** The number of the call that was made last before this conversation began; numbers go on behind it. */
  readonly lastId?: number | undefined
  /**
   * A key for what belongs to the connection: all of its calls share it, and no other call does. Without it the
   * conversation is one text and its answer: nothing comes before or after.
   */
  readonly connection: ConnectionKey | undefined
}
