/** How a journal reads a key from Redis. */
import { assert, describe, it } from "@effect/vitest"
import * as RedisNodes from "@parley/redis/RedisNodes"
import { Effect, Fiber } from "effect"
import { entry, gap } from "../../conformance/src/internal/journal/tiling.ts"
import * as FakeRedis from "./support/FakeRedis.ts"

describe("a reader that wants a few texts", () => {
  it.effect("reads on behind those that are too old, and no further than it wants", () =>
    Effect.gen(function*() {
      const fake = yield* FakeRedis.make
      const journal = yield* Effect.provide(RedisNodes.makeJournal(), fake.context)
      const reading = yield* Effect.forkChild(journal.read("k", 0, 3), { startImmediately: true })
      yield* FakeRedis.settled
      const [connection] = fake.connections
      /** Texts that were appended at a time; those before 100 are too old. */
      const answer = Effect.fnUntraced(function*(...texts: ReadonlyArray<readonly [position: number, at: number]>) {
        const entries = texts.map(([position, at]) => [
          `${position}-0`,
          ["text", `${position}`, "at", `${at}`, "weight", "257", "epoch", "0"]
        ])
        connection?.answer(["9", "1", "100", entries])
        yield* FakeRedis.settled
      })
      yield* answer([1, 50], [2, 60], [3, 70])
      yield* answer(...Array.from({ length: 128 }, (_, n) => [n + 4, n < 126 ? 80 : 120] as const))
      yield* answer([132, 130])
      assert.deepStrictEqual(yield* Fiber.join(reading), [gap(0, 130), entry(130, "130"), entry(131, "131")])
      const asked = connection?.sent.map((command) => [command.at(-3), command.at(-1)])
      assert.deepStrictEqual(asked, [["1-0", "3"], ["4-0", "128"], ["132-0", "1"]])
    }))
})
