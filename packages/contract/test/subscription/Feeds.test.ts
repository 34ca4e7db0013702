/** Published items are encoded once, however many are told. */
import { assert, describe, it } from "@effect/vitest"
import { Broadcast, type Caller, ErrorResponse, Feed, Peer, Router } from "@parley/peer"
import { MemoryTransport } from "@parley/transport"
import { Deferred, Effect, Fiber, Layer, Schema, SchemaGetter, Stream } from "effect"
import { Contract, Notification, Subscription } from "../../src/index.ts"
import { settle, started } from "../wire.ts"

/** A Schema that counts how often it has encoded. */
const counting = () => {
  const counts = { encoded: 0 }
  const schema = Schema.Struct({ title: Schema.String }).pipe(
    Schema.decodeTo(Schema.Struct({ title: Schema.String }), {
      decode: SchemaGetter.passthrough(),
      encode: SchemaGetter.transform((item: { readonly title: string }) => {
        counts.encoded++
        return item
      })
    })
  )
  return { counts, schema }
}

/** So many clients of a server that serves this. */
const clients = (
  count: number,
  handlers: Layer.Layer<never, Router.MethodTaken, Router.Router>,
  heard: Layer.Layer<never, Router.MethodTaken, Router.Router> = Layer.empty
) =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    yield* Effect.provideService(Layer.build(handlers), Router.Router, router)
    return yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.gen(function*() {
        const [here, there] = yield* MemoryTransport.makePair()
        const server = yield* Peer.make(there, { router, limits: { drain: 0 } })
        const mine = yield* Router.make()
        yield* Effect.provideService(Layer.build(heard), Router.Router, mine)
        const client: Caller.Caller = yield* Peer.make(here, { router: mine, limits: { drain: 0 } })
        return { client, server }
      }))
  })

describe("a feed of a contract", () => {
  for (const carrier of ["partial results", "notifications"] as const) {
    it.effect(`promise 28: what is published is encoded once: for subscriptions by ${carrier}`, () =>
      Effect.gen(function*() {
        const { counts, schema } = counting()
        const News = Contract.make("News", {
          news: Subscription.make({
            item: schema,
            carrier: carrier === "notifications"
              ? Subscription.notifications({ notification: "news", close: "close" })
              : Subscription.partialResults
          })
        })
        const feed = yield* Subscription.feed(News.members.news)
        const readers = yield* Effect.flatMap(
          clients(5, News.toLayer({ news: () => feed.stream() })),
          (all) =>
            Effect.forEach(all, ({ client }) => started(Stream.runCollect(Stream.take(News.client(client).news(), 2))))
        )
        yield* settle
        assert.strictEqual(yield* feed.size, 5)
        yield* feed.publish({ title: "one" })
        yield* feed.publish({ title: "two" })
        for (const reader of readers) {
          assert.deepStrictEqual(yield* Fiber.join(reader), [{ title: "one" }, { title: "two" }])
        }
        assert.deepStrictEqual(counts, { encoded: 2 })
      }))

    it.effect(`promise 28: what is published is encoded once: and written once, by ${carrier}`, () =>
      Effect.gen(function*() {
        const News = Contract.make("News", {
          news: Subscription.make({
            item: Schema.Json,
            carrier: carrier === "notifications"
              ? Subscription.notifications({ notification: "news", close: "close" })
              : Subscription.partialResults
          })
        })
        /** How often an item is read for so many subscribers. */
        const readsFor = (count: number) =>
          Effect.gen(function*() {
            const feed = yield* Subscription.feed(News.members.news)
            const all = yield* clients(count, News.toLayer({ news: () => feed.stream() }))
            const readers = yield* Effect.forEach(all, ({ client }) =>
              started(Stream.runCollect(Stream.take(News.client(client).news(), 1))))
            yield* settle
            let reads = 0
            const item = Object.defineProperty({ title: "" }, "title", {
              get: () =>
                `${++reads}`,
              enumerable: true
            })
            // A feed keeps a copy of what it publishes, but not of what stands below that.
            yield* feed.publish([item])
            for (const reader of readers) yield* Fiber.join(reader)
            return reads
          })
        assert.strictEqual(yield* readsFor(5), yield* readsFor(1))
      }))
  }

  it.effect("promise 28: what is published is encoded once: for notifications, to all, to a group and to one", () =>
    Effect.gen(function*() {
      const { counts, schema } = counting()
      const Events = Contract.make("Events", { said: Notification.make({ method: "chat/said", params: schema }) })
      const heard: Array<string> = []
      const events = Events.toLayer({ said: ({ title }) => Effect.sync(() => void heard.push(title)) })
      const all = yield* clients(4, Layer.empty, events)
      const everyone = yield* Broadcast.make()
      const recipients = yield* Effect.forEach(all, ({ server }) => everyone.join(server))
      yield* recipients[0]!.enter("some")
      yield* Events.notifier(everyone).said({ title: "all" })
      yield* Events.notifier(everyone.in("some")).said({ title: "some" })
      yield* Events.notifier(recipients[1]!).said({ title: "one" })
      yield* settle
      assert.deepStrictEqual(counts, { encoded: 3 })
      assert.deepStrictEqual(heard.toSorted(), ["all", "all", "all", "all", "one", "some"])
    }))

  it.effect("encodes the items of a feed that is of no Schema, or of another one", () =>
    Effect.gen(function*() {
      const Prices = Contract.make("Prices", {
        plain: Subscription.make({ item: Schema.FiniteFromString }),
        other: Subscription.make({ item: Schema.FiniteFromString })
      })
      const Finite = Contract.make("Finite", { prices: Subscription.make({ item: Schema.Finite }) })
      const plain = yield* Feed.make<number>()
      const other = yield* Subscription.feed(Finite.members.prices)
      const [pair] = yield* clients(1, Prices.toLayer({ plain: () => plain.stream(), other: () => other.stream() }))
      const client = Prices.client(pair!.client)
      const readers = yield* Effect.forEach([client.plain, client.other], (prices) =>
        started(Stream.runCollect(Stream.take(prices(), 1))))
      yield* settle
      yield* plain.publish(5)
      yield* other.publish(6)
      assert.deepStrictEqual([yield* Fiber.join(readers[0]!), yield* Fiber.join(readers[1]!)], [[5], [6]])
    }))

  it.effect("ends a subscription that is too slow with Lagged, at its client", () =>
    Effect.gen(function*() {
      const Ticker = Contract.make("Ticker", { ticks: Subscription.make({ item: Schema.String }) })
      const feed = yield* Subscription.feed(Ticker.members.ticks, { limits: { messages: 2 } })
      const gate = yield* Deferred.make<void>()
      const held = () => Stream.tap(feed.stream(), () => Deferred.await(gate))
      const [pair] = yield* clients(1, Ticker.toLayer({ ticks: held }))
      const reader = yield* started(Effect.flip(Stream.runDrain(Ticker.client(pair!.client).ticks())))
      yield* settle
      for (const item of ["a", "b", "c", "d"]) {
        yield* feed.publish(item)
        yield* settle
      }
      yield* Deferred.succeed(gate, undefined)
      const error: unknown = yield* Fiber.join(reader)
      assert.deepInclude(error as Contract.Lagged, { _tag: "Lagged", method: "ticks", missed: 3 })
    }))

  it.effect("takes an end that counts less than nothing for an error of the other side", () =>
    Effect.gen(function*() {
      const Ticker = Contract.make("Ticker", { ticks: Subscription.make({ item: Schema.String }) })
      const { code, message } = ErrorResponse.lagged(0)
      const end = Stream.fail(ErrorResponse.make(code, message, { missed: -1 }))
      const [pair] = yield* clients(1, Ticker.toLayer({ ticks: () => end }))
      const error: unknown = yield* Effect.flip(Stream.runDrain(Ticker.client(pair!.client).ticks()))
      assert.deepInclude(error as object, { _tag: "RemoteError", code, data: { missed: -1 } })
    }))

  it.effect("joins items of the past to those of the feed, and refuses what does not fit", () =>
    Effect.gen(function*() {
      const Ticker = Contract.make("Ticker", { ticks: Subscription.make({ item: Schema.Int }) })
      const feed = yield* Subscription.feed<typeof Ticker.members.ticks, string>(Ticker.members.ticks)
      const handlers = Ticker.toLayer({
        ticks: () => Stream.concat(Stream.make(1, 2), feed.in("all").stream("a name"))
      })
      const [pair] = yield* clients(1, handlers)
      const reader = yield* started(Stream.runCollect(Stream.take(Ticker.client(pair!.client).ticks(), 3)))
      yield* settle
      assert.deepStrictEqual((yield* feed.subscribers).map(({ value }) => value), ["a name"])
      const error = yield* Effect.flip(feed.publish(2.5))
      assert.include(error.message, "cannot be sent")
      yield* feed.publish(3)
      assert.deepStrictEqual(yield* Fiber.join(reader), [1, 2, 3])
    }))
})
