/** Claims whose engine does not answer, or late. */
import { assert, describe, it } from "@effect/vitest"
import * as MemoryEngine from "@parley/mesh/MemoryEngine"
import { Overloaded } from "@parley/mesh/MeshError"
import * as MeshNode from "@parley/mesh/MeshNode"
import { Effect, Exit, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { settled } from "../support/nodes.ts"

describe("an engine that goes away", () => {
  it.effect("while a key is released, or after it was claimed, leaves it free for others when it is back", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryEngine.make
      let isAway = false
      const away = Effect.fail(new Overloaded({ key: "engine", reason: "away" }))
      const a = yield* MeshNode.make({
        ...engine,
        release: (...key) => isAway ? away : engine.release(...key),
        // It has the claim, but cannot say so.
        claim: (...key) => Effect.flatMap(engine.claim(...key), (claimed) => isAway ? away : Effect.succeed(claimed))
      })
      const b = yield* MeshNode.make(engine)
      // It lives on.
      yield* a.serve("name", () => Effect.void)
      yield* Effect.scoped(Effect.andThen(a.claim("session/1"), Effect.sync(() => isAway = true)))
      yield* Effect.flip(Effect.scoped(a.claim("session/2")))
      yield* TestClock.adjust("10 seconds")
      isAway = false
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([yield* b.owner("session/1"), yield* b.owner("session/2")], [undefined, undefined])
      yield* b.claim("session/1")
      yield* b.claim("session/2")
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("and says late that a key was claimed does not leave it to a node that has counted as dead meanwhile", () =>
    Effect.gen(function*() {
      const engine = yield* MemoryEngine.make
      let isSlow = true
      const a = yield* MeshNode.make({
        ...engine,
        claim: (...key) =>
          Effect.flatMap(engine.claim(...key), (claimed) => {
            if (!isSlow) return Effect.succeed(claimed)
            isSlow = false
            return Effect.delay(Effect.succeed(claimed), "8 seconds")
          })
      })
      const b = yield* MeshNode.make(engine)
      const claiming = yield* Effect.forkChild(Effect.exit(a.claim("session/1")))
      yield* settled
      const resume = engine.pause(a.node)
      yield* TestClock.adjust("5 seconds")
      yield* b.claim("session/1")
      resume()
      yield* TestClock.adjust("5 seconds")
      const exit = yield* Fiber.join(claiming)
      const owner = yield* b.owner("session/1")
      assert.strictEqual(owner, b.node)
      if (Exit.isSuccess(exit)) {
        const lost = yield* Effect.forkChild(exit.value.lost, { startImmediately: true })
        assert.isDefined(lost.pollUnsafe())
      }
    }))
})
