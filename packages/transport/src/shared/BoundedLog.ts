/**
 * Lines of a log that others can cause, as many as they like: of more than `perMinute` lines in a minute only the number
 * is told.
 *
 * ```ts run
 * import { BoundedLog } from "@parley/transport/shared"
 * import { Effect } from "effect"
 *
 * const bounded = BoundedLog.make()
 * let lines = 0
 * const line = bounded(() => Effect.sync(() => void lines++))
 *
 * Effect.runSync(Effect.repeat(line, { times: 999 }))
 * console.log(lines < 100) // => true
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"

/** How many lines a log has in a minute at most. @category bounds @since 0.1.0 */
export const perMinute = 10

/**
 * A bound on the lines that others can cause: it writes a line, and in its stead counts those beyond `perMinute` in a
 * minute. A line that is written ends with what `say` says of those that were not.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  say: (untold: number) => string = (untold) => `; ${untold} more were refused since the last line`
): (write: (others: string) => Effect.Effect<void>) => Effect.Effect<void> => {
  let minute = 0
  let lines = 0
  let untold = 0
  return (write) =>
    Effect.clockWith((clock) => {
      const now = Math.floor(clock.currentTimeMillisUnsafe() / 60_000)
      if (now !== minute) {
        minute = now
        lines = 0
      }
      if (lines >= perMinute) return Effect.sync(() => void untold++)
      lines++
      const others = untold === 0 ? "" : say(untold)
      untold = 0
      return write(others)
    })
}
