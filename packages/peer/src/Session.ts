/**
 * One conversation whose texts come and go by several lanes, as those of MCP over
 * HTTP do: the bodies of posts, and streams of events.
 *
 * A session owns the waiting calls of both directions, so that it does not matter
 * which lane brings what. A response settles its call whichever lane that went
 * by, a notification cancels a request that came in another text, and requests
 * see the notifications of texts before them. What belongs to a request (its
 * progress, and what its handler asks the other side) goes by the lane that the
 * request came by, until the answer is there.
 *
 * A `Peer` has one transport and reads it itself; here the host gives each text,
 * and has the answer back.
 *
 * @since 0.1.0
 */
import type * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Caller } from "./Caller.ts"
import type { DisconnectReason } from "./CallerError.ts"
import { LiveSession } from "./internal/LiveSession.ts"
import * as Reply from "./internal/Reply.ts"
import type { Lookup } from "./Router.ts"

/**
 * A way to the other side, such as the events that answer a post.
 *
 * @category models
 * @since 0.1.0
 */
export interface Lane {
  /** Takes a text, and waits until it is written, or cannot be any more. It must end: who sends waits for it. */
  readonly send: (text: string) => Effect.Effect<void>
}

/**
 * A text that was read already.
 *
 * @category models
 * @since 0.1.0
 */
export interface Decoded {
  readonly batch: Batch.Batch
  /** Characters of the text. */
  readonly size: number
}

/**
 * What a session may be given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** What the other side may call. */
  readonly router: Lookup
  /** How the other side uses JSON-RPC. `Dialect.jsonRpc` by default. */
  readonly dialect?: Dialect.Dialect | undefined
  /** Bounds that differ from `Limits.defaults`. They are for the session, not for each text. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** How long a call waits that does not say so itself. 30 seconds by default; `Duration.infinity` switches it off. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * One conversation by several lanes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Session {
  /**
   * Takes a text of the other side, and gives the text of the reply, or nothing where all was notifications and
   * responses. It waits for the requests of the text, and `Limits.notification` at most for its notifications.
   *
   * What handlers send before the answer goes by the lane. Without one they can send and ask nothing. An interruption
   * interrupts the handlers of this text, and waits for them. A session that is over answers -32000 "Shutting down".
   */
  readonly answer: (text: string | Decoded, lane?: Lane | undefined) => Effect.Effect<Option.Option<string>>

  /** The other side by a lane of its own, for what belongs to no request. */
  readonly caller: (lane: Lane) => Caller["Service"]

  /** How many calls of the other side run, or wait for their turn. */
  readonly running: () => number

  /** How many calls of ours wait for their response. */
  readonly waiting: () => number

  /** Why the session is over, if it is: `Closed`, or `Overrun` when notifications came faster than their handlers. */
  readonly gone: () => DisconnectReason | undefined

  /**
   * Ends the session: calls that wait and those to come fail with `Disconnected`, handlers are interrupted and waited
   * for, and their requests are answered "Shutting down". Closing the Scope does the same.
   */
  readonly close: Effect.Effect<void>
}

/**
 * A session. It has no fiber and no timer while nothing runs in it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): Effect.Effect<Session, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.contextWith((context: Context.Context<never>) => Effect.sync(() => start(options, context))),
    ({ close }) => close
  )

/**
 * Answers one text as a session of its own would, that nothing was before and nothing comes after. Calls of ours that
 * still wait then end by their time, or with their fiber.
 *
 * @category running
 * @since 0.1.0
 */
export const answer = (
  options: Options,
  text: string | Decoded,
  lane?: Lane | undefined
): Effect.Effect<Option.Option<string>> =>
  Effect.contextWith((context: Context.Context<never>) => start(options, context).answer(text, lane))

/**
 * Reads texts by the rules of a dialect, as a session does: for a host that looks at a text before it answers it. What
 * a dialect says is looked up at each text.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decoder = (options: Pick<Options, "dialect" | "limits"> = {}): (text: string) => Decoded => {
  const decode = Reply.decoder(options.dialect ?? Dialect.jsonRpc, Limits.make(options.limits))
  return (text) => ({ batch: decode(text), size: text.length })
}

const start = (options: Options, context: Context.Context<never>): Session => {
  const live = new LiveSession(options, context)
  return {
    answer: (text, lane) => live.answer(text, lane),
    caller: (lane) => live.caller(lane),
    running: () => live.running(),
    waiting: () => live.waiting(),
    gone: () => live.over,
    close: Effect.suspend(() => live.close())
  }
}
