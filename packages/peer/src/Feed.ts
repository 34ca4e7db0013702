/**
 * One item to the streams of many subscriptions: each has a bounded queue of its
 * own, so that nobody waits for one that reads slowly. The item is encoded, and its
 * text written, once for all; only the message around it differs.
 *
 * `Broadcast` does the same with notifications, for whole connections.
 *
 * ```ts run
 * import { Feed } from "@parley/peer"
 * import { Effect, Fiber, Stream } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const ticks = yield* Feed.make<number>()
 *   const reader = yield* Effect.forkChild(
 *     Stream.runCollect(Stream.map(Stream.take(ticks.stream(), 2), ({ value }) => value)),
 *     { startImmediately: true }
 *   )
 *   yield* ticks.publish(1)
 *   yield* ticks.publish(2)
 *   console.log(yield* Fiber.join(reader)) // => [ 1, 2 ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import { Written } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ErrorResponse } from "./ErrorResponse.ts"
import * as Audience from "./internal/broadcast/Audience.ts"
import type { Change } from "./internal/broadcast/Change.ts"
import type { Counts } from "./internal/broadcast/Counter.ts"
import { changes } from "./internal/broadcast/Presence.ts"
import type { Entry } from "./internal/broadcast/RecipientQueue.ts"
import type { BroadcastOptions } from "./internal/broadcast/Rules.ts"
import { StreamRecipient } from "./internal/broadcast/StreamRecipient.ts"

/**
 * An item that was published, with the JSON that it is on the wire. The handler of a subscription may give it in place of
 * the item.
 *
 * @category models
 * @since 0.1.0
 */
export class Published<out A> implements Entry {
  /** The item. */
  readonly value: A
  /** The item as JSON. Where it is an object or array, its text is written already. */
  readonly json: Schema.Json
  /** The function that made its JSON: the `encode` of its feed, if that has one. */
  readonly encode: unknown
  /** The characters of its text. */
  readonly weight: number

  constructor(value: A, json: Schema.Json, encode?: unknown) {
    this.value = value
    // An array or object has one more place to keep its text; what was published may be changed later.
    this.json = typeof json === "object" && json !== null ? Written.copy(json) : json
    this.encode = encode
    this.weight = (Written.textOf(this.json) ?? JSON.stringify(json)).length
  }
}

/**
 * The options of a feed whose items are no JSON.
 *
 * @category models
 * @since 0.1.0
 */
export interface FeedOptions<in A, out E> extends BroadcastOptions {
  /** Makes JSON of an item. It runs once for each item, however many are told. */
  readonly encode: (item: A) => Effect.Effect<Schema.Json, E>
}

/**
 * One of those whose streams get the items.
 *
 * @category models
 * @since 0.1.0
 */
export interface Subscriber<out M> {
  /** The value that it came with, such as a name or a principal. */
  readonly value: M
  /** Ends its stream, behind what waits for it. */
  readonly leave: Effect.Effect<void>
  /** The counts of what was published to it. */
  readonly counts: Effect.Effect<Counts>
}

/**
 * The subscribers who get the same items: all of a feed, or those of a group.
 *
 * @category models
 * @since 0.1.0
 */
export interface FeedGroup<A, M, E> {
  /**
   * Gives each subscriber an item, and waits for none. Where much was published in one turn of the event loop, it goes on
   * in the next, so that they can take some. Fails as `encode` does.
   */
  readonly publish: (item: A) => Effect.Effect<void, E>
  /**
   * The items from when it is run, for the handler of a subscription. Who runs it is a subscriber until it ends, and may
   * come with a value, such as a principal. It fails with `ErrorResponse.lagged` where its consumer is too slow for the
   * policy `disconnect`, and ends with the feed, behind what waits for it.
   */
  readonly stream: (
    ...args: [M] extends [void] ? [value?: M] : [value: M]
  ) => Stream.Stream<Published<A>, ErrorResponse>
  /** Those who are there now, in the order in which they came. */
  readonly subscribers: Effect.Effect<ReadonlyArray<Subscriber<M>>>
  /** How many are there now. */
  readonly size: Effect.Effect<number>
  /** First those who are there, each as `Joined`, and then who comes and goes, as `Broadcast` has it. */
  readonly changes: Stream.Stream<Change<Subscriber<M>>, ErrorResponse>
}

/**
 * One item to many subscriptions.
 *
 * @category models
 * @since 0.1.0
 */
export interface Feed<A, M = void, E = never> extends FeedGroup<A, M, E> {
  /** The subscribers of a group, which exists while somebody is in it. What is published to all reaches them, too. */
  readonly in: (group: string) => FeedGroup<A, M, E>
  /** The counts of what was published, for all subscribers there have been. */
  readonly counts: Effect.Effect<Counts>
}

/**
 * A feed. When its Scope closes, its streams end, behind what waits for them. Where the queue of a subscriber is full,
 * `slow` decides: `disconnect`, the default, ends its stream with `ErrorResponse.lagged`.
 *
 * @category constructors
 * @since 0.1.0
 */
export function make<A extends Schema.Json, M = void>(
  options?: BroadcastOptions | undefined
): Effect.Effect<Feed<A, M>, never, Scope.Scope>
export function make<A, M = void, E = never>(
  options: FeedOptions<A, E>
): Effect.Effect<Feed<A, M, E>, never, Scope.Scope>
export function make<A, M, E>(
  options: BroadcastOptions & Partial<FeedOptions<A, E>> = {}
): Effect.Effect<Feed<A, M, E>, never, Scope.Scope> {
  // Without `encode`, items are JSON.
  const encode = options.encode ?? ((item: A) => Effect.succeed(item as Schema.Json))
  return Effect.map(
    Audience.make<Published<A>, Subscriber<M>>(options),
    (audience) => start(audience, encode)
  )
}

/** A stream that runs. */
class Subscription<A, M> extends StreamRecipient<Published<A>, Subscriber<M>> {
  readonly face: Subscriber<M>

  constructor(audience: Audience.Audience<Published<A>, Subscriber<M>>, value: M) {
    super(audience)
    this.face = {
      value,
      leave: Effect.sync(() => audience.remove(this, "left")),
      counts: Effect.sync(() => this.counts)
    }
  }
}

const start = <A, M, E>(
  audience: Audience.Audience<Published<A>, Subscriber<M>>,
  encode: (item: A) => Effect.Effect<Schema.Json, E>
): Feed<A, M, E> => {
  const groupOf = (name?: string): FeedGroup<A, M, E> => ({
    publish: (item) =>
      Effect.flatMapEager(encode(item), (json) => audience.publish(name, new Published(item, json, encode))),
    stream: (value?) =>
      Stream.unwrap(Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => {
            // A value may be left out only where it is `undefined`.
            const subscription = new Subscription(audience, value as M)
            audience.enter(subscription)
            if (name !== undefined) audience.enter(subscription, name)
            if (audience.isClosed) audience.remove(subscription, "closed")
            return subscription
          }),
          (subscription) => Effect.sync(() => subscription.close())
        ),
        ({ stream }) => stream
      )),
    subscribers: Effect.sync(() => audience.facesOf(name)),
    size: Effect.sync(() => audience.sizeOf(name)),
    changes: changes(audience, name)
  })
  return { ...groupOf(), in: groupOf, counts: Effect.sync(() => audience.counter.counts) }
}
