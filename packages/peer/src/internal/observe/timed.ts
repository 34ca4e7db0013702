/**
 * Tells a watcher of the beginning and the end of an effect.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"

/** @internal */
export interface Watcher<A, E> {
  readonly begin?: (fiber: Fiber.Fiber<unknown, unknown>) => void
  /** Runs after every `begin`, once, however the effect ends. The time is in nanoseconds. */
  readonly end: (
    exit: Exit.Exit<A, E>,
    nanoseconds: number,
    fiber: Fiber.Fiber<unknown, unknown>
  ) => Effect.Effect<void> | undefined
}

/** @internal */
export const watched = <A, E, R>(
  run: () => Effect.Effect<A, E, R>,
  watcher: Watcher<A, E>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    let start: bigint | undefined
    return Effect.onExitPrimitive(
      // `begin` runs where `end` is sure to follow: a fiber may be interrupted between any two steps.
      Effect.suspend(() => {
        start = clock.monotonicTimeNanosUnsafe()
        watcher.begin?.(fiber)
        return run()
      }),
      (exit) =>
        start === undefined ? undefined : watcher.end(exit, Number(clock.monotonicTimeNanosUnsafe() - start), fiber)
    )
  })
