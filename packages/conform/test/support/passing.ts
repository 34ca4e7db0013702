import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

/** Lets the time of a run pass. */
export const passing = <A, E>(run: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function*() {
    const running = yield* Effect.forkChild(run)
    while (running.pollUnsafe() === undefined) yield* TestClock.adjust("100 millis")
    return yield* Fiber.join(running)
  })
