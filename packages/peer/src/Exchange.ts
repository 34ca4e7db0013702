/**
 * One text out, and the texts that come back for it: the port of wires that
 * answer each text by itself, as HTTP does, and the `Caller` over it.
 *
 * Every call, notification and batch is an exchange of its own. Giving a call up
 * gives its exchange up; nothing else is sent to cancel it unless `cancel` says so.
 * A response belongs to the exchange that it came with: one with the id of another
 * call settles nothing. Only what comes by a stream that belongs to no call may
 * settle any.
 *
 * With a `router` the other side may ask, too: its requests come back in exchanges
 * and streams, and each response is posted by itself.
 *
 * @since 0.1.0
 */
import type * as Dialect from "@parley/protocol/Dialect"
import type * as Limits from "@parley/protocol/Limits"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Caller } from "./Caller.ts"
import type * as CallerError from "./CallerError.ts"
import * as ExchangeCaller from "./internal/ExchangeCaller.ts"
import type { Lookup } from "./Router.ts"

/**
 * What came back holds no text: it is of another type, too large, or no UTF-8.
 *
 * @category errors
 * @since 0.1.0
 */
export class BadAnswer extends Schema.TaggedError<BadAnswer>()("BadAnswer", { rule: Schema.String }) {
  override get message(): string {
    return this.rule
  }
}

/** How an exchange may fail. @category errors @since 0.1.0 */
export type ExchangeError = CallerError.Disconnected | CallerError.HttpStatusError | BadAnswer

/**
 * What an exchange ended as: one answer that was read whole, or a stream of texts.
 *
 * @category models
 * @since 0.1.0
 */
export type Ending = "answer" | "stream"

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
 * What a caller over exchanges may be given.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallerOptions {
  /** How the other side uses JSON-RPC. `Dialect.jsonRpc` by default. */
  readonly dialect?: Dialect.Dialect | undefined
  /** `waiting` bounds the calls at once. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** How long a call waits that does not say so itself. 30 seconds by default; `Duration.infinity` switches it off. */
  readonly timeout?: Duration.Input | undefined
  /**
   * What the other side may call. Its requests run as those of a `Peer` do, with this caller as `call.peer`, and their
   * responses are posted with the services of who made the caller. Without it, requests and notifications that nobody
   * listens to are logged and dropped.
   */
  readonly router?: Lookup | undefined
  /**
   * What tells the other side that a call was interrupted or is out of time: that its exchange is given up (the default),
   * or the notification of the dialect as well, posted with the services of the call.
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
  readonly caller: Caller["Service"]
  /**
   * Takes a text of a stream that belongs to no call. A response in it settles the call with its id, whichever exchange
   * that began in. Where this gives an effect, nothing more is to be taken before it has ended.
   */
  readonly take: (text: string) => Effect.Effect<void> | undefined
}

/**
 * Calls over exchanges, until the Scope closes. Each exchange runs with the services of its call.
 *
 * - An error with id null is the answer to every call of its exchange that has none of its own in the same text.
 * - An exchange that ends without a response fails its calls with `InvalidResponse`, or, where it was a stream, with
 *   `Disconnected`.
 * - A notification returns when its exchange has ended, and what came back is not looked at.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeCaller = (
  exchange: Exchange,
  options: CallerOptions = {}
): Effect.Effect<Caller["Service"], never, Scope.Scope> => Effect.map(make(exchange, options), ({ caller }) => caller)

/**
 * Calls over exchanges beside streams that belong to no call, until the Scope closes. That interrupts handlers, and
 * waits for them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (exchange: Exchange, options: CallerOptions = {}): Effect.Effect<CallingSide, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.sync(() => ExchangeCaller.start(exchange, options, context))
    ),
    ({ close }) => close
  )
