/**
 * A scenario: what happens in one run of the simulation, as plain data. Times are milliseconds of virtual time, sizes
 * are characters.
 */
import type { Params } from "@parley/protocol/Message"

/** Which callers and servers talk to each other. @category models @since 0.1.0 */
export type Kind = "peer" | "session" | "post" | "reconnecting"

/** Side 0 is the client, side 1 the server. Two peers both call and serve. @category models @since 0.1.0 */
export type Side = 0 | 1

/** Characters that a reply may have beside the `size` of its work: an error may be longer than a result. */
export const replySize = 120

/**
 * The bounds of both sides. All limits follow from the first three in the ratios of the defaults.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bounds {
  /** `Limits.inFlight`, `inbox` and `batch`. */
  readonly inFlight: number
  /** `Limits.inboxBytes`, `outbox` and `batchReply`. */
  readonly bytes: number
  /** `Limits.waiting`. */
  readonly waiting: number
  /** `Limits.budget`. A run with a budget may refuse calls and end connections, where nothing else makes room. */
  readonly budget?: number | undefined
}

/**
 * The links between the sides. A `send` waits while a link is full.
 *
 * @category models
 * @since 0.1.0
 */
export interface Links {
  /** Characters that a link holds unread, in each direction. */
  readonly bytes: number
  /** Texts that a link holds unread, in each direction. */
  readonly texts: number
  /** How long a text is under way. With 0 it arrives before `send` returns, as in memory. */
  readonly delay: number
  /** Characters that one read takes at most. */
  readonly chunk: number
  /** Whether the transport can be used without a fiber (`Direct`). */
  readonly direct: boolean
}

/**
 * The actions of a handler, in the order of the members.
 *
 * @category models
 * @since 0.1.0
 */
export interface Work {
  /** How many times it reports progress. */
  readonly progress?: number | undefined
  /** How many partial results it sends. */
  readonly partial?: number | undefined
  /** How many notifications it sends to the other side. */
  readonly notify?: number | undefined
  /** How many notifications it sends behind its reply. */
  readonly after?: number | undefined
  /** The calls that it makes to the other side, while it waits. */
  readonly back?: Work | undefined
  /** How long it takes; 0 is one microtask. */
  readonly wait?: number | undefined
  /** The moment at which it goes on, together with all others that wait for that moment. */
  readonly until?: number | undefined
  /** Whether it goes on until it is interrupted. */
  readonly hang?: boolean | undefined
  /** The error code that it fails with. */
  readonly fail?: number | undefined
  /** Characters of its reply, and of each notification and partial result that it sends. */
  readonly size?: number | undefined
}

/**
 * A side makes calls at once.
 *
 * @category models
 * @since 0.1.0
 */
export interface Call {
  readonly _tag: "Call"
  readonly at: number
  readonly side: Side
  /** How many calls. */
  readonly times: number
  readonly work: Work
  /** Characters of the params. */
  readonly size?: number | undefined
  /** Whether all go in one text. */
  readonly batch?: boolean | undefined
  readonly timeout?: number | undefined
  /** After how long the caller is interrupted. */
  readonly giveUp?: number | undefined
  /** Whether the caller listens to progress. */
  readonly progress?: boolean | undefined
  /** Whether the caller takes partial results. */
  readonly partial?: boolean | undefined
  /** For how long each partial result makes the caller pause the reading. */
  readonly hold?: number | undefined
  /** Whether the answer comes by the stream that belongs to no call. Only for `session`. */
  readonly aside?: boolean | undefined
  /** Whether it may be made twice, so that a retry may carry it over a lost connection. */
  readonly idempotent?: boolean | undefined
  /** The method and params of a service of one's own, in the place of `work`. */
  readonly own?: { readonly method: string; readonly params?: Params } | undefined
}

/**
 * A side notifies, one notification after the other.
 *
 * @category models
 * @since 0.1.0
 */
export interface Notify {
  readonly _tag: "Notify"
  readonly at: number
  readonly side: Side
  readonly times: number
  readonly work: Work
  readonly size?: number | undefined
  /** The work that the side asks for behind the last notification. */
  readonly ask?: Work | undefined
}

/**
 * A side opens streams at once. Each gives its items, and then stays open until its consumer leaves, its side shuts down
 * or its connection ends. A reconnecting caller opens it again on its next connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface Watch {
  readonly _tag: "Watch"
  readonly at: number
  readonly side: Side
  /** How many streams. */
  readonly times: number
  /** The carrier of the items: partial results of the call, or notifications behind its response. */
  readonly carrier: "partial" | "notifications"
  /** How many items each gives. */
  readonly items: number
  /** Milliseconds between two items. */
  readonly every: number
  /** Characters of an item. */
  readonly size?: number | undefined
  /** After how long the consumer leaves. */
  readonly giveUp?: number | undefined
}

/**
 * The actions of a side or a link, with their times.
 *
 * - `Pause`: the side pauses its reading through `Caller.pause`, for so long or until the run ends.
 * - `Stall`: the side reads nothing for so long.
 * - `Lose`: all connections are lost; another can be made after so long.
 * - `Die`: the side neither reads nor writes any more, and nobody is told.
 * - `End`: the side shuts down in order. Where the other side connects again, or posts, another one is there after so
 *   long.
 *
 * @category models
 * @since 0.1.0
 */
export type Action =
  | Call
  | Notify
  | Watch
  | { readonly _tag: "Pause"; readonly at: number; readonly side: Side; readonly for?: number | undefined }
  | { readonly _tag: "Stall"; readonly at: number; readonly side: Side; readonly for: number }
  | { readonly _tag: "Lose"; readonly at: number; readonly for: number }
  | { readonly _tag: "Die"; readonly at: number; readonly side: Side }
  | { readonly _tag: "End"; readonly at: number; readonly side: Side; readonly for?: number | undefined }

/**
 * One run, as data.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scenario {
  readonly kind: Kind
  readonly bounds: Bounds
  readonly links: Links
  readonly actions: ReadonlyArray<Action>
}

/** The limits of both sides. @internal */
export const limitsOf = ({ budget, bytes, inFlight, waiting }: Bounds) => ({
  ...(budget === undefined ? {} : { budget }),
  inboxBytes: bytes,
  outbox: bytes,
  batchReply: bytes,
  inFlight,
  inbox: inFlight,
  batch: inFlight,
  waiting,
  // Requests that are written and unanswered: as many as the other side takes.
  window: 2 * inFlight
})

/** Whether texts go by ways of their own, which have no order between them. @internal */
export const isPosting = (kind: Kind): boolean => kind === "post" || kind === "session"

/** Whether nothing but the limits may come between the sides. @internal */
export const isHonest = ({ actions, bounds: { budget } }: Scenario): boolean =>
  budget === undefined && actions.every(({ _tag }) => _tag !== "Lose" && _tag !== "Die" && _tag !== "End")
