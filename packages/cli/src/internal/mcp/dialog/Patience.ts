/**
 * How long a command waits for a server: not while it is the person who is waited for.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

export interface Patience {
  /** A message arrived: the time starts again. */
  readonly heard: () => void
  /** The time stands still while this runs, and starts again after it. */
  readonly pausing: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Waits without a limit from now on. */
  readonly rest: () => void
  /** Fails with `late` when nothing was heard for the time. */
  readonly within: <E2>(
    late: E2
  ) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | E2, R>
}

export const make = (time: Duration.Duration): Patience => {
  const limit = Duration.toMillis(time)
  let pauses = 0
  let beginning = 0
  let isNew = true

  const heard = () => {
    isNew = true
  }

  const watch: Effect.Effect<void> = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (isNew || pauses > 0) beginning = now
    isNew = false
    const left = beginning + limit - now
    return left <= 0 ? Effect.void : Effect.andThen(Effect.sleep(Math.min(left, look)), watch)
  })

  return {
    heard,
    rest: () => {
      pauses++
    },
    pausing: (effect) =>
      Effect.suspend(() => {
        pauses++
        return Effect.ensuring(
          effect,
          Effect.sync(() => {
            pauses--
            heard()
          })
        )
      }),
    within: (late) => (effect) => Effect.raceFirst(effect, Effect.andThen(watch, Effect.fail(late)))
  }
}

/** Milliseconds between two looks at what was heard. */
const look = 250
