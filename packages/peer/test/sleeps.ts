/** The clock of a test, which counts those who sleep on it. */
import { Clock, Effect } from "effect"

export const counted = Effect.map(Clock.Clock, (clock) => {
  const counts = { begun: 0, asleep: 0 }
  const counting: Clock.Clock = {
    ...clock,
    sleep: (duration) =>
      Effect.suspend(() => {
        counts.begun++
        counts.asleep++
        return Effect.ensuring(clock.sleep(duration), Effect.sync(() => counts.asleep--))
      })
  }
  return { counts, clock: counting }
})
