/**
 * An effect that runs once at a time, however many wait for it.
 *
 * ```ts run
 * import { SharedRun } from "@parley/oauth/shared"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const run = SharedRun.make(yield* Effect.scope, Effect.as(Effect.sleep("2 millis"), Math.random()))
 *   const [one, other] = yield* Effect.all([run, run], { concurrency: "unbounded" })
 *   console.log(one === other) // => true
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Waits for the run that is under way, or begins one. It goes on in the Scope where those who wait are interrupted.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <A, E>(scope: Scope.Scope, effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let running: Deferred.Deferred<A, E> | undefined
  return Effect.suspend(() => {
    if (running !== undefined) return Deferred.await(running)
    const made = running = Deferred.makeUnsafe<A, E>()
    const run = Effect.onExit(effect, (exit) =>
      Effect.suspend(() => {
        running = undefined
        return Deferred.done(made, exit)
      }))
    return Effect.andThen(Effect.forkIn(Effect.exit(run), scope, { startImmediately: true }), Deferred.await(made))
  })
}
