/**
 * The types between a caller over posts and its wire. `Exchange` publishes them.
 */
import type * as Limits from "@parley/protocol/Limits"
import { BadFrame, Excerpt } from "@parley/protocol/shared"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller } from "../../Caller.ts"
import type { Lookup } from "../../Handler.ts"
import type * as CallerError from "../CallerError.ts"
import type { AdapterOptions } from "../conversation/Port.ts"

/**
 * The answer holds no text: it is of another type, too large, or no UTF-8.
 *
 * @category errors
 * @since 0.1.0
 */
export class BadAnswer extends Schema.TaggedError<BadAnswer>()("BadAnswer", {
  rule: Schema.String,
  /** How the answer begins, where some of it was read. */
  excerpt: Schema.optionalKey(Schema.String)
}) {
  /** The error of an answer that begins with these bytes. */
  static ofBytes(rule: string, bytes: Uint8Array): BadAnswer {
    const { excerpt } = BadFrame.ofBytes("NotText", bytes.subarray(0, excerptBytes))
    return new BadAnswer({ rule, excerpt })
  }

  override get message(): string {
    const rule = Excerpt.line(this.rule)
    return this.excerpt === undefined ? rule : `${rule}; it begins ${Excerpt.line(this.excerpt)}`
  }
}

/** An excerpt shows no more bytes. */
const excerptBytes = 64

/** How an exchange may fail. @category errors @since 0.1.0 */
export type ExchangeError = CallerError.Disconnected | CallerError.HttpStatusError | BadAnswer

/**
 * How an exchange ended: as one answer that was read whole, or as a stream of texts.
 *
 * @category models
 * @since 0.1.0
 */
export type Ending = "answer" | "stream"

/**
 * The content of an exchange: a call or a notification from outside of handlers (`call`), one that a handler makes
 * (`nested`), or a response or a cancellation (`reply`).
 *
 * @category models
 * @since 0.1.0
 */
export type Share = "call" | "nested" | "reply"

/**
 * The share of an exchange, among its services.
 *
 * An exchange with a bounded number of places, such as connections, gives each share places of its own. Calls hold theirs
 * until the other side has answered, and the other side may need a nested call or a reply for that.
 *
 * @category services
 * @since 0.1.0
 */
export const Share: Context.Reference<Share> = Context.Reference<Share>("@parley/peer/Exchange/Share", {
  defaultValue: () => "call"
})

/**
 * Sends a text, and takes the texts that come back.
 *
 * @category models
 * @since 0.1.0
 */
export interface Exchange {
  /**
   * Sends a text, and calls `take` for each text that comes back, in its order. Where that gives an effect, nothing more
   * is read before it has ended. Ends when no more will come; an interruption gives the exchange up, so that the other
   * side can see it. A text that comes with a status that is no success is taken, too, before `HttpStatusError`.
   */
  readonly post: (
    text: string,
    take: (text: string) => Effect.Effect<void> | undefined
  ) => Effect.Effect<Ending, ExchangeError>
}

/**
 * The options of a caller over exchanges.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallerOptions extends AdapterOptions {
  /** `waiting` bounds the calls that wait at once. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /**
   * What the other side may call. Its requests run as those of a `Peer` do, with this caller as `call.peer`, and their
   * responses are posted with the services of the effect that made the caller. Without it, requests and notifications
   * that nobody listens to are logged and dropped.
   */
  readonly router?: Lookup | undefined
  /**
   * How the other side learns that a call was interrupted or is out of time: its exchange is given up (the default), or
   * the notification of the dialect is posted as well, with the services of the call.
   */
  readonly cancel?: "giveUp" | "notify" | undefined
}

/**
 * A caller over exchanges, and what takes texts that come by themselves.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallingSide {
  readonly caller: Caller
  /**
   * Takes a text of a stream that belongs to no call. A response in it settles the call with its id, whichever exchange
   * that began in. Where this gives an effect, nothing more is to be taken before it has ended.
   */
  readonly take: (text: string) => Effect.Effect<void> | undefined
}
