import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { settled, three } from "../support/nodes.ts"

describe("texts without a character", () => {
  it.effect("count all the same: many of them fill an inbox, and a window", () =>
    Effect.gen(function*() {
      const { nodes: [a, b] } = yield* three({ window: 1_000, inbox: 1_000 })
      let answered = 0
      yield* b.serve(
        "name",
        (_, answer) =>
          Effect.forever(Effect.andThen(Effect.suspend(() => answer("")), Effect.sync(() => void answered++)))
      )
      const call = a.call({ name: "name", node: b.node }, "")
      yield* Effect.forkChild(Stream.runForEach(call, () => Effect.never))
      yield* settled
      assert.isAtMost(answered, 10)
      const more = Array.from({ length: 10 }, () => Effect.flip(Stream.runForEach(call, () => Effect.never)))
      assert.strictEqual((yield* Effect.raceAll(more))._tag, "Overloaded")
    }))
})
