/** Streams from a peer to a peer, and what their handlers hold. */
import { assert, describe, it } from "@effect/vitest"
import { Router } from "@parley/peer"
import { Deferred, Effect, Exit, Layer, Schema, Scope, Stream } from "effect"
import { Contract, Subscription } from "../../src/index.ts"
import { pair, request, serving, settle, started } from "../wire.ts"
import { counting, dates, Feed, giving, Gone, read, watch } from "./publisher.ts"

describe("what a handler acquires", () => {
  it.effect("is held until its stream ends, fails or is closed", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void, Gone>()
      const items = Stream.fromEffect(Effect.as(Deferred.await(gate), new Date(1)))
      const { acquire, counts } = counting()
      const { wire } = yield* serving(
        giving(() => Effect.as(acquire, Stream.concat(items, Stream.fromEffect(Effect.as(acquire, new Date(2))))))
      )
      yield* wire.send(watch(1), watch(2), read(3, "t"))
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 3, released: 0 })
      yield* wire.send(request(4, "unwatch", ["0x2"]))
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 3, released: 1 })
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 5, released: 5 })
    }))

  it.effect("is released where the caller is not told that there is a subscription", () =>
    Effect.gen(function*() {
      const { acquire, counts } = counting()
      // A reply too large for its batch starts nothing.
      const { wire } = yield* serving(giving(() => Effect.as(acquire, Stream.never)), { limits: { batchReply: 10 } })
      yield* wire.send(`[${watch(1)}]`)
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 1, released: 1 })
    }))

  it.effect("is released at the latest with its layer, when nothing else does it", () =>
    Effect.gen(function*() {
      const { acquire, counts } = counting()
      const scope = yield* Scope.make()
      const router = yield* Router.make()
      const live = Layer.provide(giving(() => Effect.as(acquire, Stream.never)), Layer.succeed(Router.Router, router))
      yield* Effect.orDie(Scope.provide(Layer.build(live), scope))
      const { wire } = yield* serving(Layer.empty, { router })
      yield* wire.send(watch(1))
      yield* settle
      assert.deepStrictEqual(counts, { acquired: 1, released: 0 })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(counts, { acquired: 1, released: 1 })
    }))
})

describe("from a peer to a peer", () => {
  it.effect("a stream is the same stream, whichever way it travels", () =>
    Effect.gen(function*() {
      const given = () => Stream.concat(Stream.fromIterable(dates(1, 2)), Stream.fail(new Gone({ since: 3 })))
      const { peer } = yield* pair(giving(given))
      const feed = Feed.client(peer)
      for (const stream of [feed.watch({ of: "a" }), feed.read({ of: "a" })]) {
        const seen: Array<unknown> = []
        const failed = yield* Effect.flip(Stream.runForEach(stream, (date) => Effect.sync(() => seen.push(date))))
        assert.deepStrictEqual(seen, dates(1, 2))
        assert.deepStrictEqual(failed, new Gone({ since: 3 }))
      }
    }))

  it.effect("a stream may have nothing, or end at once", () =>
    Effect.gen(function*() {
      const { peer } = yield* pair(giving(() => Stream.empty))
      const feed = Feed.client(peer)
      assert.deepStrictEqual(yield* Stream.runCollect(feed.watch({ of: "a" })), [])
      assert.deepStrictEqual(yield* Stream.runCollect(feed.read({ of: "a" })), [])
    }))

  it.effect("promise 18: callers suspend on a full outbox, and a slow consumer gets all of a fast stream", () =>
    Effect.gen(function*() {
      const times = Array.from({ length: 3000 }, (_, time) => time)
      const { peer } = yield* pair(giving(() => Stream.fromIterable(dates(...times)).pipe(Stream.rechunk(7))), {
        limits: { outbox: 2000 }
      })
      const feed = Feed.client(peer)
      for (const stream of [feed.watch({ of: "a" }, { capacity: 5 }), feed.read({ of: "a" }, { capacity: 5 })]) {
        const slow = Stream.mapEffect(stream, (date) => Effect.as(Effect.yieldNow, date.getTime()))
        assert.deepStrictEqual(yield* Stream.runCollect(slow), times)
      }
    }))

  it.effect("many subscriptions of one connection keep apart", () =>
    Effect.gen(function*() {
      let next = 0
      const { peer } = yield* pair(giving(() => {
        const from = 1000 * next++
        return Stream.fromIterable(dates(from, from + 1, from + 2)).pipe(Stream.rechunk(1))
      }))
      const feed = Feed.client(peer)
      const all = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        (index) => Stream.runCollect(index % 2 === 0 ? feed.watch({ of: "a" }) : feed.read({ of: "a" })),
        { concurrency: "unbounded" }
      )
      for (const [first, second, third] of all) {
        const from = Number(first)
        assert.deepStrictEqual([Number(second), Number(third)], [from + 1, from + 2])
      }
      assert.strictEqual(new Set(all.map(([first]) => Number(first))).size, 50)
    }))

  it.effect("who leaves ends the stream on the other side", () =>
    Effect.gen(function*() {
      const { acquire, counts } = counting()
      const { peer } = yield* pair(
        giving(() => Stream.concat(Stream.fromIterable(dates(1)), Stream.unwrap(Effect.as(acquire, Stream.never))))
      )
      const feed = Feed.client(peer)
      for (const stream of [feed.watch({ of: "a" }), feed.read({ of: "a" })]) {
        assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(stream, 1)), dates(1))
        yield* settle
        assert.strictEqual(counts.released, counts.acquired)
      }
      assert.strictEqual(counts.acquired, 2)
    }))

  it.effect("an order of its own starts it before the notifications before it", () =>
    Effect.gen(function*() {
      const Early = Contract.make("Early", {
        early: Subscription.make({ item: Schema.Int, order: "concurrent" }),
        late: Subscription.make({ item: Schema.Int })
      })
      const layer = Layer.mergeAll(
        Early.toLayer({ early: () => Stream.make(1), late: () => Stream.make(2) }),
        Layer.effectDiscard(Effect.flatMap(Router.Router, (router) => router.add("hang", () => Effect.never)))
      )
      const { peer } = yield* pair(layer)
      yield* peer.notify("hang")
      const early = Early.client(peer)
      const late = yield* started(Stream.runCollect(early.late()))
      assert.deepStrictEqual(yield* Stream.runCollect(early.early()), [1])
      assert.isUndefined(late.pollUnsafe())
    }))
})
