/** Claims whose engine does not answer, or late. */
import { assert, describe, it } from "@effect/vitest"
import { Overloaded } from "@parley/mesh/Mesh"
import { Deferred, Effect, Exit, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { settled, two } from "../support/nodes.ts"

describe("an engine that goes away", () => {
  it.effect("while a key is released, or after it was claimed, leaves it free for others when it is back", () =>
    Effect.gen(function*() {
      let isAway = false
      const away = Effect.fail(new Overloaded({ key: "engine", reason: "away" }))
      const { a, b } = yield* two((engine) => ({
        ...engine,
        release: (...key) => isAway ? away : engine.release(...key),
        // It has the claim, but cannot say so.
        claim: (...key) => Effect.flatMap(engine.claim(...key), (claimed) => isAway ? away : Effect.succeed(claimed))
      }))
      // It lives on.
      yield* a.serve("name", () => Effect.void)
      const epoch = yield* Effect.scoped(
        Effect.tap(Effect.map(a.claim("session/1"), ({ epoch }) => epoch), () => Effect.sync(() => isAway = true))
      )
      yield* Effect.flip(Effect.scoped(a.claim("session/2")))
      yield* TestClock.adjust("10 seconds")
      isAway = false
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual([yield* b.owner("session/1"), yield* b.owner("session/2")], [undefined, undefined])
      assert.isAbove((yield* b.claim("session/1")).epoch, epoch)
      yield* b.claim("session/2")
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("and says late that a key was claimed does not leave it to a node that has counted as dead meanwhile", () =>
    Effect.gen(function*() {
      const goOn = yield* Deferred.make<void>()
      let isLate = true
      const { a, b, engine } = yield* two((engine) => ({
        ...engine,
        claim: (...key) => Effect.tap(engine.claim(...key), () => isLate ? Deferred.await(goOn) : Effect.void)
      }))
      const claiming = yield* Effect.forkChild(Effect.exit(a.claim("session/1")))
      yield* settled
      isLate = false
      const resume = engine.pause(a.node)
      yield* TestClock.adjust("5 seconds")
      yield* b.claim("session/1")
      resume()
      yield* TestClock.adjust("5 seconds")
      yield* Deferred.succeed(goOn, undefined)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(claiming)))
      assert.strictEqual(yield* b.owner("session/1"), b.node)
    }))

  it.effect("and is back does not refuse a claim while the node frees the key of an earlier one", () =>
    Effect.gen(function*() {
      const goOn = yield* Deferred.make<void>()
      let isAway = true
      const away = Effect.fail(new Overloaded({ key: "engine", reason: "away" }))
      const { a } = yield* two((engine) => ({
        ...engine,
        claim: (...key) => isAway ? away : Effect.andThen(Deferred.await(goOn), engine.claim(...key))
      }))
      yield* a.serve("name", () => Effect.void)
      yield* Effect.flip(Effect.scoped(a.claim("session/1")))
      isAway = false
      // The node asks the engine whether it has the key.
      yield* TestClock.adjust("2 seconds")
      const claiming = yield* Effect.forkChild(a.claim("session/1"))
      yield* settled
      yield* Deferred.succeed(goOn, undefined)
      const lease = yield* Fiber.join(claiming)
      assert.isTrue(yield* lease.isNewest)
      assert.strictEqual(yield* a.owner("session/1"), a.node)
    }).pipe(Effect.provide(Logger.layer([]))))
})
