/** How long a mock pauses before what it sends. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * The longest pause where nobody asked for the recorded ones, in milliseconds: clients that read two texts at once may
 * handle the second before the first, as the official SDK does with a response behind progress.
 */
const briefest = 5

/** Pauses as long as was recorded, or briefly. */
export const pause = (recorded: number, isRecorded: boolean): Effect.Effect<void> => {
  const milliseconds = isRecorded ? recorded : Math.min(recorded, briefest)
  return milliseconds > 0 ? Effect.sleep(Duration.millis(milliseconds)) : Effect.void
}
