/** A handler may answer from several fibers at once: each of them waits for the reader, and none was woken but the last. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { settled, three } from "../support/nodes.ts"

describe("answers of several fibers to one call", () => {
  it.effect("all come, however little their reader takes at a time", () =>
    Effect.gen(function*() {
      const { nodes: [a, b] } = yield* three({ window: 300 })
      const texts = Array.from({ length: 20 }, (_, n) => `${n}`)
      yield* b.serve("name", (_, answer) =>
        Effect.as(Effect.forEach(texts, answer, { concurrency: "unbounded", discard: true }), "last"))
      const call = Stream.runCollect(Stream.tap(a.call({ name: "name", node: b.node }, ""), () =>
        settled))
      const reading = yield* Effect.forkChild(call)
      yield* Effect.repeat(settled, { times: 100 })
      assert.isDefined(reading.pollUnsafe(), "an answer waits for ever")
      const read = yield* Fiber.join(reading)
      assert.deepStrictEqual([read.slice(0, -1).toSorted(), read.at(-1)], [texts.toSorted(), "last"])
    }))
})
