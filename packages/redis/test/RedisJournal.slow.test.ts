import { assert, it } from "@effect/vitest"
import type * as Journal from "@parley/mesh/Journal"
import * as RedisNodes from "@parley/redis/RedisNodes"
import { Effect, Fiber, Layer, Logger, Schedule, Stream } from "effect"
import { entry, gap } from "../../conformance/src/internal/journal/tiling.ts"
import * as RedisServer from "./support/RedisServer.ts"

const journalOf = (server: RedisServer.RedisServer, options?: RedisNodes.RedisJournalOptions) =>
  Effect.flatMap(Layer.build(server.layer), (context) => Effect.provide(RedisNodes.makeJournal(options), context))

const quiet = Effect.provide(Logger.layer([]))

RedisServer.stories("a journal in Redis", () => {
  it.live("keeps its bounds, and refuses older epochs", () =>
    Effect.gen(function*() {
      const journal = yield* journalOf(yield* RedisServer.make(), { count: 3, weight: 2_000 })
      const positions = yield* Effect.forEach(["a", "b", "c", "d"], (text) => journal.append("k", text, 0))
      assert.deepStrictEqual(positions, [1, 2, 3, 4])
      assert.deepStrictEqual(yield* journal.read("k", 0), [gap(0, 2), entry(2, "b"), entry(3, "c"), entry(4, "d")])
      yield* journal.append("k", "x".repeat(1_800), 0)
      assert.deepStrictEqual(yield* journal.read("k", 3), [gap(3, 5), entry(5, "x".repeat(1_800))])
      yield* journal.fence("k", 5)
      for (const late of [journal.append("k", "b", 4), journal.fence("k", 3), journal.drop("k", 4)]) {
        assert.deepInclude(yield* Effect.flip<unknown, unknown, never>(late), { _tag: "Fenced", newest: 5 })
      }
    }))

  it.live("is followed while Redis goes away and comes back, until its key is dropped", () =>
    Effect.gen(function*() {
      const server = yield* RedisServer.make()
      const journal = yield* journalOf(server)
      const seen: Array<Journal.Item> = []
      const following = yield* Effect.forkChild(
        Stream.runForEach(journal.follow("k", 0), (item) => Effect.sync(() => void seen.push(item)))
      )
      for (const text of ["a", "b"]) yield* journal.append("k", text, 0)
      yield* Effect.sleep("300 millis")
      assert.deepStrictEqual(seen, [entry(1, "a"), entry(2, "b")])
      yield* server.stop("data")
      yield* Effect.sleep("500 millis")
      assert.strictEqual((yield* Effect.flip(journal.read("k", 0)))._tag, "Overloaded")
      yield* server.start
      yield* Effect.retry(journal.append("k", "c", 0), Schedule.spaced("100 millis"))
      yield* Effect.sleep("2 seconds")
      assert.deepStrictEqual(seen[2], entry(3, "c"))
      yield* journal.drop("k", 0)
      yield* Fiber.join(following)
    }).pipe(quiet), 60_000)
})
