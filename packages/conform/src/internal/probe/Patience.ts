/** How long probes wait. */
import * as Duration from "effect/Duration"
import type { Target } from "../../Target.ts"

export interface Patience {
  /** For an answer that has to come. */
  readonly answer: Duration.Duration
  /** For a text that must not come, once the server has answered what was sent later. */
  readonly silence: Duration.Duration
  /** For the answer to a sentinel, of a server that has answered before. */
  readonly sentinel?: Duration.Duration
  /** Hears how long a sentinel was waited for, or of one that was not answered. */
  readonly hear?: (took: Duration.Duration | undefined) => void
}

/**
 * The patience of a run. A server that answers no sentinels would cost the whole time for each of some hundred texts: when
 * five were not answered, others may take three times as long as the slowest that was, and a second at least.
 */
export const make = (answer: Duration.Duration, silence: Duration.Duration): Patience => {
  let misses = 0
  let slowest = shortest
  return {
    answer,
    silence,
    get sentinel() {
      return misses < mostMisses ? answer : Duration.min(answer, slowest)
    },
    hear: (took) => {
      if (took === undefined) misses++
      else slowest = Duration.max(slowest, Duration.times(took, 3))
    }
  }
}

const mostMisses = 5
const shortest = Duration.seconds(1)

/** How long the first answer may take: a connection is there at once, and a process has to load its program. */
export const startOf = (target: Target, { answer }: Patience): Duration.Duration =>
  target._tag === "Duplex" && target.isProcess ? Duration.max(answer, Duration.seconds(15)) : answer
