/** One item to many streams. */
import { assert, describe, it } from "@effect/vitest"
import { Written } from "@parley/protocol/shared"
import { Deferred, Effect, Exit, Fiber, Latch, Scope, Stream } from "effect"
import { ErrorResponse, Feed } from "../../src/index.ts"
import { pair, settle } from "../wire.ts"

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** A subscriber that takes items while its gate is open. */
const subscribed = <A, E>(stream: Stream.Stream<Feed.Published<A>, E>) =>
  Effect.gen(function*() {
    const seen: Array<A> = []
    const gate = yield* Latch.make(true)
    const fiber = yield* started(
      Stream.runForEach(stream, ({ value }) => Effect.andThen(gate.await, Effect.sync(() => void seen.push(value))))
    )
    return { fiber, gate, seen }
  })

describe("a feed", () => {
  it.effect("gives each subscriber all items from when it came, and those of its group", () =>
    Effect.gen(function*() {
      const feed = yield* Feed.make<number, string>()
      const ada = yield* subscribed(feed.stream("ada"))
      yield* feed.publish(1)
      const bob = yield* subscribed(feed.in("even").stream("bob"))
      yield* feed.publish(2)
      yield* feed.in("even").publish(4)
      yield* feed.in("none").publish(5)
      yield* settle
      assert.deepStrictEqual([ada.seen, bob.seen], [[1, 2], [2, 4]])
      assert.deepStrictEqual((yield* feed.subscribers).map(({ value }) => value), ["ada", "bob"])
      assert.deepStrictEqual((yield* feed.in("even").subscribers).map(({ value }) => value), ["bob"])
      yield* Fiber.interrupt(bob.fiber)
      assert.strictEqual(yield* feed.size, 1)
      assert.strictEqual(yield* feed.in("even").size, 0)
      assert.deepStrictEqual(yield* feed.counts, { offered: 4, delivered: 4, dropped: 0, waiting: 0 })
    }))

  it.effect("promise 26: nobody waits for a recipient that does not read: nor a stream for another one", () =>
    Effect.gen(function*() {
      const feed = yield* Feed.make<number>({ slow: "sliding", limits: { messages: 3 } })
      const slow = yield* subscribed(feed.stream())
      const quick = yield* subscribed(feed.stream())
      yield* slow.gate.close
      for (let number = 1; number <= 100; number++) {
        const published = yield* started(feed.publish(number))
        // It waits for a turn at most.
        yield* Effect.yieldNow
        assert.isDefined(published.pollUnsafe())
        if (number % 3 === 1) yield* settle
      }
      yield* settle
      assert.lengthOf(quick.seen, 100)
      yield* slow.gate.open
      yield* settle
      assert.deepStrictEqual(slow.seen, [1, 98, 99, 100])
      const counts = yield* Effect.map(feed.counts, ({ delivered, dropped }) => [delivered, dropped])
      assert.deepStrictEqual(counts, [104, 96])
    }))

  it.effect("promise 27: nothing is dropped but by policy: disconnect ends a stream, and says how much it has missed", () =>
    Effect.gen(function*() {
      const feed = yield* Feed.make<number>({ limits: { messages: 3 } })
      const slow = yield* subscribed(feed.stream())
      const quick = yield* subscribed(feed.stream())
      yield* feed.publish(0)
      yield* settle
      yield* slow.gate.close
      for (let number = 1; number <= 6; number++) {
        yield* feed.publish(number)
        yield* settle
      }
      assert.deepStrictEqual(quick.seen, [0, 1, 2, 3, 4, 5, 6])
      assert.strictEqual(yield* feed.size, 1)
      yield* slow.gate.open
      const error = yield* Effect.flip(Fiber.join(slow.fiber))
      assert.deepStrictEqual(error, ErrorResponse.lagged(4))
      // It has the one that it had begun.
      assert.deepStrictEqual(slow.seen, [0, 1])
    }))

  it.effect("publishes what an item is now: one that is changed later is answered as it is then", () =>
    Effect.gen(function*() {
      const state = { count: 0 }
      const list = [1]
      const feed = yield* Feed.make<typeof state | typeof list>()
      const [peer] = yield* pair({ state: () => Effect.sync(() => state), list: () => Effect.sync(() => list) })
      const reader = yield* started(Stream.runCollect(Stream.take(feed.stream(), 2)))
      yield* feed.publish(state)
      yield* feed.publish(list)
      state.count = 1
      list.push(2)
      assert.deepStrictEqual(yield* peer.request("state"), { count: 1 })
      assert.deepStrictEqual(yield* peer.request("list"), [1, 2])
      const texts = (yield* Fiber.join(reader)).map(({ json }) => Written.textOf(json))
      assert.deepStrictEqual(texts, [`{"count":0}`, "[1]"])
    }))

  it.effect("ends with its scope, behind what waits", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const feed = yield* Scope.provide(Feed.make<number>(), scope)
      const { fiber, gate, seen } = yield* subscribed(feed.stream())
      yield* feed.publish(0)
      yield* settle
      yield* gate.close
      for (const number of [1, 2, 3]) yield* feed.publish(number)
      yield* Scope.close(scope, Exit.void)
      yield* feed.publish(4)
      yield* gate.open
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen, [0, 1, 2, 3])
      assert.deepStrictEqual(yield* feed.counts, { offered: 4, delivered: 4, dropped: 0, waiting: 0 })
      assert.deepStrictEqual(yield* Stream.runCollect(feed.stream()), [])
    }))

  it.effect("counts what an interrupted stream leaves as dropped, and lets one be taken out", () =>
    Effect.gen(function*() {
      const feed = yield* Feed.make<number>()
      const left = yield* subscribed(feed.stream())
      yield* feed.publish(0)
      yield* settle
      yield* left.gate.close
      for (const number of [1, 2, 3]) {
        yield* feed.publish(number)
        yield* settle
      }
      yield* Fiber.interrupt(left.fiber)
      assert.deepStrictEqual(yield* feed.counts, { offered: 4, delivered: 2, dropped: 2, waiting: 0 })
      const out = yield* subscribed(feed.stream())
      yield* feed.publish(4)
      const [subscriber] = yield* feed.subscribers
      yield* subscriber!.leave
      yield* feed.publish(5)
      yield* Fiber.join(out.fiber)
      assert.deepStrictEqual(out.seen, [4])
      assert.deepStrictEqual(yield* subscriber!.counts, { offered: 1, delivered: 1, dropped: 0, waiting: 0 })
    }))

  it.effect("tells who comes and goes, and ends the one who watches too slowly", () =>
    Effect.gen(function*() {
      const feed = yield* Feed.make<number, string>({ limits: { changes: 2 } })
      yield* subscribed(feed.stream("ada"))
      const gate = yield* Deferred.make<void>()
      const heard: Array<string> = []
      const watching = yield* started(
        Stream.runForEach(feed.changes, (change) =>
          Effect.andThen(
            Effect.sync(() => void heard.push(`${change._tag} ${change.recipient.value}`)),
            heard.length > 0 ? Deferred.await(gate) : Effect.void
          ))
      )
      const bob = yield* subscribed(feed.stream("bob"))
      yield* settle
      yield* Fiber.interrupt(bob.fiber)
      yield* subscribed(feed.stream("eve"))
      yield* subscribed(feed.stream("dan"))
      yield* subscribed(feed.stream("ida"))
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Effect.flip(Fiber.join(watching)), ErrorResponse.lagged(4))
      assert.deepStrictEqual(heard, ["Joined ada", "Joined bob"])
    }))

  it.effect("publishes only what can be encoded", () =>
    Effect.gen(function*() {
      const feed = yield* Feed.make<bigint, void, string>({
        encode: (item) => item < 0n ? Effect.fail("negative") : Effect.succeed(String(item))
      })
      const reader = yield* started(Stream.runCollect(Stream.take(feed.stream(), 1)))
      assert.strictEqual(yield* Effect.flip(feed.publish(-1n)), "negative")
      yield* feed.publish(1n)
      const [published] = yield* Fiber.join(reader)
      assert.deepInclude(published, { value: 1n, json: "1", weight: 3 })
    }))
})
