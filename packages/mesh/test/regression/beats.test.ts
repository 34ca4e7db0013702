/** An engine may hear a beat whose answer does not come. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Overloaded } from "@parley/mesh/Mesh"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

describe("a node that was cut off for a lease, and is not answered when it is back", () => {
  it.effect("finds out with the next beat what it has lost", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryNodes.makeEngine
      let link: "whole" | "cut" | "deaf" = "whole"
      const unanswered = Effect.fail(new Overloaded({ key: "engine", reason: "no answer came" }))
      const linked: typeof engine = {
        ...engine,
        beat: (...beat) => {
          if (link === "cut") return unanswered
          return link === "deaf" ? Effect.andThen(engine.beat(...beat), unanswered) : engine.beat(...beat)
        }
      }
      const [a, b] = [yield* MeshNode.make(linked), yield* MeshNode.make(engine)]
      const lost = yield* Effect.forkChild((yield* a.claim("key")).lost)
      yield* a.serve("name", () => Effect.void)
      link = "cut"
      yield* TestClock.adjust("4 seconds")
      yield* b.claim("key")
      link = "deaf"
      yield* TestClock.adjust("1 second")
      link = "whole"
      yield* TestClock.adjust("1 second")
      assert.isDefined(lost.pollUnsafe())
      yield* Fiber.join(lost)
      assert.deepStrictEqual(yield* engine.members("name"), [a.node])
    }))
})
