/** What comes faster than it is taken, and what is pulled with less patience. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { calling, notification, settle, started, success, type Wire } from "../wire.ts"
import { Feed, item, later, numbers, partial, reading, stuck, tagsOf, watching } from "./feed.ts"

/** The two ways that items travel, to one consumer. */
const carriers = [
  {
    carrier: "notifications",
    open: watching,
    items: (...values: ReadonlyArray<number>) => values.map((value) => item("x", value)),
    opened: [success(1, "x")],
    end: notification("watched", { subscription: "x", end: true })
  },
  {
    carrier: "partial results",
    open: reading,
    items: (...values: ReadonlyArray<number>) => values.map((value) => partial([value])),
    opened: [],
    end: success(1, [])
  }
]

for (const { carrier, end, items, open, opened } of carriers) {
  const sendAll = (wire: Wire, ...texts: ReadonlyArray<string>) => {
    const [first, ...rest] = texts
    return first === undefined ? Effect.void : wire.send(first, ...rest)
  }

  describe(`a slow consumer of a subscription by ${carrier}`, () => {
    it.effect("suspends the reading, and gets everything in its order", () =>
      Effect.gen(function*() {
        const slow = Effect.forEach(numbers(5), () => Effect.yieldNow)
        const { fiber, seen, wire } = yield* open({ capacity: 4 }, () => slow)
        // In one chunk, which the reader must stop in the midst of, and then one by one.
        yield* sendAll(wire, ...opened, ...items(...numbers(300)))
        for (const text of items(...numbers(300, 300))) yield* wire.send(text)
        yield* wire.send(end)
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(seen, [...numbers(600), "end"])
      }))

    it.effect("suspends what else comes, until it takes or leaves", () =>
      Effect.gen(function*() {
        const { fiber, peer, seen, wire } = yield* open({ capacity: 2 }, stuck)
        const heard: Array<unknown> = []
        yield* peer.listen("other", { take: (params) => heard.push(params) > 0, end: () => {} })
        yield* sendAll(
          wire,
          ...opened,
          ...items(1, 2),
          notification("other", [1]),
          ...items(3),
          notification("other", [2])
        )
        yield* settle
        assert.deepStrictEqual([seen, heard], [[1], [[1]]])
        yield* Fiber.interrupt(fiber)
        yield* settle
        assert.deepStrictEqual(heard, [[1], [2]])
      }))

    it.effect("keeps as many again while another call waits, and then it is as if it failed", () =>
      Effect.gen(function*() {
        const { peer, seen, wire } = yield* open({ capacity: 2 }, () => Effect.sleep(10))
        yield* started(Effect.ignore(peer.request("other")))
        yield* sendAll(wire, ...opened, ...items(...numbers(8)), end)
        yield* TestClock.adjust(100)
        assert.deepStrictEqual(tagsOf(seen), [0, 1, 2, 3, 4, "Lagged"])
        assert.deepInclude(seen[5], { missed: 3 })
      }))

    it.effect("fails with Lagged after what was kept, and says how many were not", () =>
      Effect.gen(function*() {
        const { seen, wire } = yield* open({ capacity: 2, strategy: "fail" }, () => Effect.sleep(10))
        yield* sendAll(wire, ...opened, ...items(...numbers(8)))
        yield* TestClock.adjust(100)
        assert.deepStrictEqual(tagsOf(seen), [0, 1, 2, "Lagged"])
        assert.deepInclude(seen[3], { missed: 5 })
        // And closes it.
        assert.strictEqual((yield* later(wire)).length, 1)
      }))

    it.effect("forgets the oldest, or the newest", () =>
      Effect.gen(function*() {
        for (const [strategy, kept] of [["sliding", [6, 7]], ["dropping", [1, 2]]] as const) {
          const { seen, wire } = yield* open({ capacity: 2, strategy }, () => Effect.sleep(10))
          yield* sendAll(wire, ...opened, ...items(...numbers(8)))
          yield* TestClock.adjust(100)
          assert.deepStrictEqual(seen, [0, ...kept])
          yield* sendAll(wire, ...items(8), end)
          yield* TestClock.adjust(100)
          assert.deepStrictEqual(seen, [0, ...kept, 8, "end"])
        }
      }))
  })
}

describe("a stream", () => {
  it.effect("that is pulled with less patience loses nothing", () =>
    Effect.gen(function*() {
      const { peer, wire } = yield* calling()
      const pull = yield* Stream.toPull(Feed.client(peer).watch({ of: "a" }))
      const first = yield* started(Effect.timeoutOption(pull, 10))
      yield* wire.take(1)
      yield* TestClock.adjust(20)
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(first)))
      yield* wire.send(success(1, "x"), item("x", 1), item("x", 2))
      yield* settle
      assert.deepStrictEqual(yield* pull, [1, 2])
    }))
})
