/**
 * The log about one server behind this one. Clients and the server decide how often there is something to say, so of more than
 * so many lines in a minute only the number is told.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"

/** Writes a line, whose foreign texts are escaped already. @internal */
export type QuietLog = (line: string, cause?: Cause.Cause<unknown>) => Effect.Effect<void>

const perMinute = 10

/** @internal */
export const make = (): QuietLog => {
  let minute = 0
  let lines = 0
  let untold = 0
  return (line, cause) =>
    Effect.clockWith((clock) => {
      const now = Math.floor(clock.currentTimeMillisUnsafe() / 60_000)
      if (now !== minute) {
        minute = now
        lines = 0
      }
      if (lines >= perMinute) return Effect.sync(() => void untold++)
      lines++
      const others = untold === 0 ? "" : `; ${untold} more lines about this server were left out`
      untold = 0
      const text = line + others
      // escaped: by who calls, and a number of ours
      return cause === undefined ? Effect.logWarning(text) : Effect.logWarning(text, cause)
    })
}
