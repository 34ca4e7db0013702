/**
 * A subscription of a contract: a method that opens a stream of items, which
 * notifications carry.
 *
 * ```ts run
 * import { Contract, Subscription } from "@parley/contract"
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Schema, Stream } from "effect"
 *
 * const Ticker = Contract.make("Ticker", {
 *   ticks: Subscription.make({ params: { to: Schema.Int }, item: Schema.Int })
 * })
 * const server = Router.layer(Ticker.toLayer({ ticks: ({ to }) => Stream.range(1, to) }))
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   yield* Peer.make(far, { router: yield* Router.Router })
 *   const { ticks } = Ticker.client(yield* Peer.make(near))
 *   console.log(yield* Stream.runCollect(ticks({ to: 3 }))) // => [ 1, 2, 3 ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(server)))
 * ```
 *
 * @since 0.1.0
 */
import type { BroadcastOptions } from "@parley/peer/Broadcast"
import type { InvalidArguments } from "@parley/peer/Caller"
import * as Feed from "@parley/peer/Feed"
import type { HandlerOptions } from "@parley/peer/Router"
import type * as Dialect from "@parley/protocol/Dialect"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Marked } from "./internal/Member.ts"
import * as Feeds from "./internal/server/feeds.ts"
import type { Documentation, Errors, ValidErrors } from "./Method.ts"
import type * as Params from "./shared/Params.ts"

/**
 * Items are partial results of one long call: the request names a token, notifications with that token carry arrays of
 * items, and the response ends the stream. The dialect decides how they travel; cancelling the call closes the stream.
 * A caller that names no token gets all items in the response, so that its stream must have an end. Params by position
 * have no place for a token.
 *
 * @category models
 * @since 0.1.0
 */
export interface PartialResults {
  readonly _tag: "PartialResults"
}

/**
 * The response gives the id of the subscription, and notifications with that id carry an item each. A method closes it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Notifications extends Dialect.Subscriptions {
  readonly _tag: "Notifications"
}

/** How the items of a subscription travel. @category models @since 0.1.0 */
export type Carrier = PartialResults | Notifications

/**
 * The parts of a subscription.
 *
 * @category models
 * @since 0.1.0
 */
export interface SubscriptionOptions<
  P extends Params.Params,
  I extends Params.Codec,
  E extends Errors,
  Back extends boolean = boolean
> extends Documentation {
  /** The name on the wire: that of the member, by default. Members that share one are told apart by their params. */
  readonly method?: string | undefined
  /** The params: fields, a tuple, or a Schema. Without it, the member has none. */
  readonly params?: P & Params.Valid<P>
  /** How params may stand on the wire: `either` for fields, by default. */
  readonly paramStructure?: Params.ParamStructure | undefined
  /** One item of the stream. */
  readonly item: I
  /** Application errors, by the code that they have on the wire. */
  readonly errors?: E & ValidErrors<E>
  /** How the items travel: as partial results, by default. */
  readonly carrier?: Carrier | undefined
  /** When a request starts: after the notifications before it by default. */
  readonly order?: HandlerOptions["order"]
  /** Whether handlers call the other side back, as for a method. */
  readonly callsBack?: Back | undefined
}

/**
 * A subscription: its params, its items, and its errors.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subscription<out P extends Params.Params, out I extends Params.Codec, out E extends Errors>
  extends Documentation
{
  readonly _tag: "Subscription"
  /** The name on the wire, where it is not that of the member. */
  readonly method: string | undefined
  /** The params: fields, a tuple, or a Schema; `undefined` where there are none. */
  readonly params: P
  /** How params may stand on the wire, where that is not the default. */
  readonly paramStructure: Params.ParamStructure | undefined
  /** One item of the stream. */
  readonly item: I
  /** Application errors, by the code that they have on the wire. */
  readonly errors: E
  /** How the items travel. */
  readonly carrier: Carrier
  /** When a request starts. */
  readonly order: NonNullable<HandlerOptions["order"]>
  /** Whether handlers call the other side back. */
  readonly callsBack: boolean
}

/**
 * A feed of the items of a subscription: its handler gives `feed.stream()`, or that of a group. What is published is
 * encoded once, by the Schema of the item; an item that does not fit fails with `InvalidArguments`. Subscribers may come
 * with a value, whose type is the second type argument.
 *
 * ```ts run
 * import { Contract, Subscription } from "@parley/contract"
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Fiber, Schema, Stream } from "effect"
 *
 * const News = Contract.make("News", { news: Subscription.make({ item: Schema.Struct({ title: Schema.String }) }) })
 *
 * const program = Effect.gen(function*() {
 *   const feed = yield* Subscription.feed(News.members.news)
 *   yield* Effect.gen(function*() {
 *     const [near, far] = yield* MemoryTransport.makePair()
 *     yield* Peer.make(far, { router: yield* Router.Router })
 *     const { news } = News.client(yield* Peer.make(near))
 *     const reader = yield* Effect.forkChild(Stream.runCollect(Stream.take(news(), 1)))
 *     yield* Stream.runDrain(Stream.take(feed.changes, 1))
 *     yield* feed.publish({ title: "Lunch is ready" })
 *     console.log(yield* Fiber.join(reader)) // => [ { title: 'Lunch is ready' } ]
 *   }).pipe(Effect.provide(Router.layer(News.toLayer({ news: () => feed.stream() }))))
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const feed = <S extends Pick<Subscription<Params.Params, Params.Codec, Errors>, "item" | "method">, M = void>(
  subscription: S,
  options: BroadcastOptions = {}
): Effect.Effect<Feed.Feed<S["item"]["Type"], M, InvalidArguments>, never, Scope.Scope> => {
  const { item, method = "a subscription" } = subscription
  const encode = Feeds.encoder(item, method)
  return Feed.make<S["item"]["Type"], M, InvalidArguments>({ ...options, encode })
}

/** Items as partial results of one call. @category constructors @since 0.1.0 */
export const partialResults: Carrier = { _tag: "PartialResults" }

/**
 * Items as notifications with the id of the subscription, as a dialect has them (`Dialect.ethereum.subscriptions`) or
 * by names of your own: members are `subscription`, `result`, `error` and `end` unless the options say otherwise.
 *
 * @category constructors
 * @since 0.1.0
 */
export const notifications = (
  options: Pick<Dialect.Subscriptions, "notification" | "close"> & Partial<Dialect.Subscriptions>
): Notifications => ({
  _tag: "Notifications",
  id: "subscription",
  item: "result",
  error: "error",
  end: "end",
  ...options
})

/**
 * A subscription.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  I extends Params.Codec,
  const P extends Params.Params = undefined,
  const E extends Errors = {},
  const Back extends boolean = false
>(options: SubscriptionOptions<P, I, E, Back>): Subscription<P, I, E> & Marked<Back> => ({
  _tag: "Subscription",
  method: options.method,
  summary: options.summary,
  description: options.description,
  deprecated: options.deprecated,
  // An option that is left out is `undefined`, and so is its type.
  params: options.params as P,
  paramStructure: options.paramStructure,
  item: options.item,
  // The type is `{}` when the option is left out.
  errors: options.errors ?? ({} as E),
  carrier: options.carrier ?? partialResults,
  order: options.order ?? "afterNotifications",
  // Its mark has the type of the option.
  callsBack: options.callsBack ?? false
} satisfies Subscription<P, I, E> as Subscription<P, I, E> & Marked<Back>)
