/**
 * Elapsed time. The wall clock may be set back or forward while something waits; this clock only goes on.
 */
import type { Clock } from "effect/Clock"

/** Milliseconds since some moment in the past, as good as the clock has them. */
export const now = (clock: Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
