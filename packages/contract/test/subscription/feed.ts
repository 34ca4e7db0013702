/** A contract of subscriptions, and their consumers, when a test is the other side. */
import type { Peer } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Effect, Schema, Stream } from "effect"
import { Contract, Subscription } from "../../src/index.ts"
import { calling, notification, parsed, request, settle, started, type Wire } from "../wire.ts"

export class Gone extends Schema.TaggedError<Gone>()("Gone", { since: Schema.Finite }) {}

export const Feed = Contract.make("Feed", {
  watch: Subscription.make({
    params: { of: Schema.String },
    item: Schema.Finite,
    errors: { 410: Gone },
    carrier: Subscription.notifications({ notification: "watched", close: "unwatch" })
  }),
  read: Subscription.make({ params: { of: Schema.String }, item: Schema.Finite, errors: { 410: Gone } }),
  list: Subscription.make({ params: [Schema.String], item: Schema.Finite }),
  logs: Subscription.make({ item: Schema.Json, carrier: Subscription.notifications(Dialect.ethereum.subscriptions) })
})

export type Feeds = Contract.Client<Contract.MembersOf<typeof Feed>>

export const item = (id: unknown, result: unknown) => notification("watched", { subscription: id, result })

export const partial = (value: unknown, token = "partial-1") => notification("$/progress", { token, value })

/** A consumer that keeps what it is given, and at last how the stream ended. */
export const consuming = <A, E>(
  stream: Stream.Stream<A, E>,
  each: (item: A) => Effect.Effect<unknown> = () => Effect.void
) =>
  Effect.gen(function*() {
    const seen: Array<unknown> = []
    const consume = Stream.runForEach(stream, (item) => Effect.andThen(Effect.sync(() => seen.push(item)), each(item)))
    const fiber = yield* started(Effect.match(consume, {
      onSuccess: () => void seen.push("end"),
      onFailure: (error) => void seen.push(error)
    }))
    return { seen, fiber }
  })

/** A client, and a consumer of one of its subscriptions. */
export const subscribed = <A, E>(
  stream: (feed: Feeds) => Stream.Stream<A, E>,
  each?: (item: A) => Effect.Effect<unknown>,
  options?: Peer.PeerOptions
) =>
  Effect.gen(function*() {
    const { peer, wire } = yield* calling(options)
    const consumer = yield* consuming(stream(Feed.client(peer)), each)
    yield* wire.take(1)
    return { peer, wire, ...consumer }
  })

export const watching = (options?: Contract.StreamOptions, each?: (item: number) => Effect.Effect<unknown>) =>
  subscribed((feed) => feed.watch({ of: "a" }, options), each)

export const reading = (options?: Contract.StreamOptions, each?: (item: number) => Effect.Effect<unknown>) =>
  subscribed((feed) => feed.read({ of: "a" }, options), each)

/** What the other side has heard beyond the first request. */
export const later = (wire: Wire) => Effect.map(settle, () => wire.received.slice(1))

export const unwatch = (call: number, id: unknown) => parsed(request(call, "unwatch", [id]))

export const numbers = (length: number, from = 0) => Array.from({ length }, (_, index) => from + index)

export const tagsOf = (seen: ReadonlyArray<unknown>) => seen.map((one) => Object(one)._tag ?? one)

/** A consumer that takes nothing beyond its first item. */
export const stuck = () => Effect.never
