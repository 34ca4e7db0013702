/** What a node and its engine think of a key agrees in the end, whatever comes late or not at all. */
import { assert, describe, it } from "@effect/vitest"
import { Overloaded } from "@parley/mesh/MeshError"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { settled, two } from "./support/nodes.ts"

describe("a key whose release does not reach the engine", () => {
  it.effect("is free when the engine is back, though its node lives on", () =>
    Effect.gen(function*() {
      let isAway = false
      const { a, b } = yield* two((engine) => ({
        ...engine,
        release: (...key) =>
          isAway ? Effect.fail(new Overloaded({ key: "engine", reason: "away" })) : engine.release(...key)
      }))
      yield* a.claim("session/other")
      const scope = yield* Scope.make()
      const lease = yield* Scope.provide(a.claim("session/1"), scope)
      isAway = true
      yield* Scope.close(scope, Exit.void)
      isAway = false
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* b.owner("session/1"), undefined)
      assert.isAbove((yield* b.claim("session/1")).epoch, lease.epoch)
    }))
})

describe("a claim whose answer comes late", () => {
  it.effect("is none, where its node has counted as dead meanwhile and another has claimed the key", () =>
    Effect.gen(function*() {
      const goOn = yield* Deferred.make<void>()
      let isLate = false
      const { a, b, engine } = yield* two((engine) => ({
        ...engine,
        claim: (...claim) => Effect.tap(engine.claim(...claim), () => isLate ? Deferred.await(goOn) : Effect.void)
      }))
      yield* a.claim("session/other")
      isLate = true
      const claiming = yield* Effect.forkChild(Effect.exit(a.claim("session/1")))
      yield* settled
      isLate = false
      const resume = engine.pause(a.node)
      yield* TestClock.adjust("10 seconds")
      yield* b.claim("session/1")
      resume()
      yield* TestClock.adjust("2 seconds")
      yield* Deferred.succeed(goOn, undefined)
      const exit = yield* Fiber.join(claiming)
      assert.isTrue(Exit.isFailure(exit))
    }))
})
