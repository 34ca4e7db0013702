/**
 * A clock for the calls of a client that can be stopped: while a person is asked for input, the time of the calls does not
 * run. A transport of a client finds it in its `Host`.
 *
 * ```ts run
 * import * as CallClock from "@parley/mcp/client/CallClock"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const clock = yield* CallClock.make
 *   const start = clock.stop()
 *   const time = clock.now()
 *   yield* Effect.sleep("2 millis")
 *   console.log(clock.now() - time) // => 0
 *   start()
 *   console.log(clock.isStopped()) // => false
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @since 0.1.0
 */
import { Monotonic } from "@parley/transport/shared"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/**
 * The time of the calls that are made with it. It runs until it is stopped.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallClock {
  /** Stops it, and gives a function that ends this stop. The clock goes on when every stop has ended. */
  readonly stop: () => () => void
  /** Its time in milliseconds, from any beginning. */
  readonly now: () => number
  /** Whether it stands still. */
  readonly isStopped: () => boolean
}

/**
 * A clock that runs.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<CallClock> = Clock.clockWith((clock) =>
  Effect.sync(() => {
    const time = () => Monotonic.now(clock)
    let stops = 0
    let since = 0
    let stopped = 0

    return {
      stop: () => {
        if (stops++ === 0) since = time()
        let isOver = false
        return () => {
          if (isOver) return
          isOver = true
          if (--stops === 0) stopped += time() - since
        }
      },
      now: () => (stops === 0 ? time() : since) - stopped,
      isStopped: () => stops > 0
    }
  })
)

/**
 * Runs an effect while the clock stands still.
 *
 * @category combinators
 * @since 0.1.0
 */
export const stopDuring = <A, E, R>(
  { stop }: CallClock,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.acquireUseRelease(Effect.sync(stop), () => effect, (start) => Effect.sync(start))
