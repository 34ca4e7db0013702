/**
 * What a conversation is made of, and what its adapter hears of it.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import type { Limits } from "@parley/protocol/Limits"
import type { DisconnectReason } from "../../CallerError.ts"
import type { Lookup } from "../../Handler.ts"
import type { ForeignHandler } from "../incoming/IncomingCall.ts"
import type { Choose } from "../outgoing/ChosenIds.ts"
import type { Host } from "../runtime/Host.ts"
import type { Parts } from "./Parts.ts"

/** @internal */
export interface Options {
  readonly host: Host
  readonly dialect: Dialect
  readonly limits: Limits
  /** What the other side may call. */
  readonly router: Lookup | undefined
  /** What hears JSON that is no message. */
  readonly onForeign?: ForeignHandler | undefined
  /** Milliseconds that a call waits when it does not say so. */
  readonly timeout: number
  /** Milliseconds that it may take to drain; without it, it waits for its handlers as long as they take. */
  readonly drain?: number | undefined
  /** Whether the lane holds a text that has no room yet. */
  readonly isHolding?: (() => boolean) | undefined
  /** Whether responses wait for the handlers of the notifications before them. */
  readonly responses?: "atOnce" | "afterNotifications" | undefined
  /** Chooses the ids of our requests. */
  readonly ids?: Choose | undefined
  /** The number of the call that was made last before this conversation began; numbers go on behind it. */
  readonly lastId?: number | undefined
  /** Whether it is one text and its answer: nothing comes before or after. */
  readonly isAlone?: boolean | undefined
  /** Gives the key of the connection, where that outlives this conversation. */
  readonly connection?: (() => object) | undefined
  /** The conversation that stands for this one now, where this one may be let go. */
  readonly current?: (() => Parts) | undefined
  /** Runs in each step: looks what the lanes can do now. */
  readonly onStep?: (() => void) | undefined
  /** Whether everything that was read is handed on, and everything is written. */
  readonly isFlushed?: (() => boolean) | undefined
  /** Runs once, when no more calls can be made. */
  readonly onEnd?: ((reason: DisconnectReason) => void) | undefined
  readonly onClose?: ((reason: DisconnectReason) => void) | undefined
}
