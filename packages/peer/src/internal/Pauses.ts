/**
 * Who has paused the reading, and who waits for it to go on.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../Caller.ts"

/** @internal */
export interface Pauses {
  readonly pause: Caller["Service"]["pause"]
  /** Whether somebody pauses. */
  readonly isPaused: () => boolean
  /** Waits until nothing holds up the reading. */
  readonly goAhead: Effect.Effect<void>
  /** Something has changed: lets go on who is not held up any more. */
  readonly proceed: () => void
}

/** Counts who pauses. `onEnd` hears of each pause that ends. @internal */
export const counting = (onEnd: () => void): Pick<Pauses, "pause" | "isPaused"> => {
  let pauses = 0
  return {
    pause: () => {
      let isPaused = true
      pauses++
      return () => {
        if (!isPaused) return
        isPaused = false
        pauses--
        onEnd()
      }
    },
    isPaused: () => pauses > 0
  }
}

/** `isHeld` says whether the reading is to wait now. @internal */
export const make = (isHeld: () => boolean): Pauses => {
  const held = new Set<() => void>()

  const proceed = () => {
    if (isHeld()) return
    const all = [...held]
    held.clear()
    for (const wake of all) wake()
  }

  return {
    ...counting(proceed),
    goAhead: Effect.callback((resume) => {
      if (!isHeld()) return resume(Effect.void)
      const wake = () => resume(Effect.void)
      held.add(wake)
      return Effect.sync(() => held.delete(wake))
    }),
    proceed
  }
}
