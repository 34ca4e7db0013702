/**
 * A clock for calls that can be stopped: while a person is asked for input, the time of the call does not run.
 *
 * ```ts run
 * import { CallClock } from "@parley/peer"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const clock = yield* CallClock.make
 *   // Give it to calls as their option `clock`: while a person is asked, their time does not run.
 *   yield* CallClock.stopDuring(clock, Effect.sleep("2 millis"))
 *   console.log(clock.stopped() > 0) // => true
 *   console.log(clock.onStart(() => {})) // => false
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @since 0.1.0
 */
import * as Monotonic from "@parley/transport/Monotonic"
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
  /** Milliseconds that it has stood still so far. */
  readonly stopped: () => number
  /** Runs a function when it goes on. Gives `false` where it is not stopped: then the function is not run. */
  readonly onStart: (run: () => void) => boolean
}

/**
 * A clock that runs.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: Effect.Effect<CallClock> = Clock.clockWith((clock) =>
  Effect.sync(() => {
    const now = () => Monotonic.now(clock)
    const waiting = new Set<() => void>()
    let stops = 0
    let since = 0
    let total = 0

    const start = () => {
      if (--stops > 0) return
      total += now() - since
      const runs = [...waiting]
      waiting.clear()
      for (const run of runs) run()
    }

    return {
      stop: () => {
        if (stops++ === 0) since = now()
        let isLet = false
        return () => {
          if (isLet) return
          isLet = true
          start()
        }
      },
      stopped: () => stops === 0 ? total : total + now() - since,
      onStart: (run) => {
        if (stops > 0) waiting.add(run)
        return stops > 0
      }
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
