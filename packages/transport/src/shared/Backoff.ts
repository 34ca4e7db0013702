/**
 * How long to wait before something that failed is tried again. Clients that lost the same server at the same moment
 * must not all come back at the same moment, so every wait is spread at random (*jitter*). Everything that tries again
 * takes its waits from here.
 *
 * ```ts run
 * import { Backoff } from "@parley/transport/shared"
 * import { Effect } from "effect"
 *
 * let attempts = 0
 * const connect = Effect.suspend(() => ++attempts < 3 ? Effect.fail("refused") : Effect.succeed("connected"))
 * const program = Effect.retry(connect, Backoff.make({ first: "1 millis", most: "1 second" }))
 * console.log(await Effect.runPromise(program), attempts) // => connected 3
 * ```
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"

/**
 * How waits grow.
 *
 * @category models
 * @since 0.1.0
 */
export interface BackoffOptions {
  /** The first wait. */
  readonly first: Duration.Input
  /** The longest wait. */
  readonly most: Duration.Input
  /** How many times as long as the one before each wait is. 2 by default; 1 where all are the same. */
  readonly factor?: number | undefined
}

/** The part of a wait by which it may be longer or shorter. */
const part = 0.2

/**
 * A wait that is up to a fifth longer or shorter, at random.
 *
 * @category jitter
 * @since 0.1.0
 */
export const spread = (wait: Duration.Input): Effect.Effect<Duration.Duration> =>
  Effect.map(
    Random.next,
    (random) => Duration.millis(Duration.toMillis(Duration.fromInputUnsafe(wait)) * (1 + part * (2 * random - 1)))
  )

/**
 * A wait that is up to a fifth longer, at random: for a time that somebody asked to wait at the least.
 *
 * @category jitter
 * @since 0.1.0
 */
export const atLeast = (wait: Duration.Input): Effect.Effect<Duration.Duration> =>
  Effect.map(
    Random.next,
    (random) => Duration.millis(Duration.toMillis(Duration.fromInputUnsafe(wait)) * (1 + part * random))
  )

/**
 * Sleeps for about so long, before the next attempt of a loop.
 *
 * @category jitter
 * @since 0.1.0
 */
export const sleep = (wait: Duration.Input): Effect.Effect<void> => Effect.flatMap(spread(wait), Effect.sleep)

/**
 * A schedule of waits that grow up to a bound, each up to a fifth longer or shorter.
 *
 * @category schedules
 * @since 0.1.0
 */
export const make = ({ factor = 2, first, most }: BackoffOptions): Schedule.Schedule<Duration.Duration> => {
  const bound = Duration.fromInputUnsafe(most)
  return Schedule.exponential(first, factor).pipe(
    Schedule.modifyDelay(({ duration }) => spread(Duration.min(duration, bound)))
  )
}
