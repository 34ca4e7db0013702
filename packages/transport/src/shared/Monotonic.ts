/**
 * Elapsed time. The wall clock may be set back or forward while something waits; this clock only goes on.
 *
 * ```ts run
 * import { Monotonic } from "@parley/transport/shared"
 * import { Effect } from "effect"
 *
 * const elapsed = Effect.clockWith((clock) => {
 *   const before = Monotonic.now(clock)
 *   return Effect.map(Effect.yieldNow, () => Monotonic.now(clock) - before)
 * })
 *
 * console.log(await Effect.runPromise(elapsed) >= 0) // => true
 * ```
 *
 * @since 0.1.0
 */
import type { Clock } from "effect/Clock"

/**
 * Milliseconds since some moment in the past, as good as the clock has them.
 *
 * @category measuring
 * @since 0.1.0
 */
export const now = (clock: Clock): number => millis(clock.monotonicTimeNanosUnsafe())

/** As `now`, of a time that was taken before: one that is seldom asked for need not be converted. @internal */
export const millis = (nanos: bigint): number => Number(nanos) / 1e6
