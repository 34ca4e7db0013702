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
  /** For an answer that has to come, and has not when the sentinel behind it was answered: a server may answer in any order. */
  readonly disorder?: Duration.Duration
  /** Hears how much later than its sentinel an answer came, or that it did not come. */
  readonly doubt?: (late: Duration.Duration | undefined) => void
}

/**
 * The patience of a run. A server that answers no sentinels would cost the whole time for each of some hundred texts: when
 * five were not answered, others may take three times as long as the slowest that was, and a second at least.
 *
 * A server that works on several requests at once may answer a sentinel first. What is missing then is waited for, until
 * three answers have not come at all: from then on, no longer than three times as long as the latest that did.
 */
export const make = (answer: Duration.Duration, silence: Duration.Duration): Patience => {
  let misses = 0
  let slowest = shortest
  let lost = 0
  let latest = Duration.zero
  return {
    answer,
    silence,
    get sentinel() {
      return misses < mostMisses ? answer : Duration.min(answer, slowest)
    },
    hear: (took) => {
      if (took === undefined) misses++
      else slowest = Duration.max(slowest, Duration.times(took, 3))
    },
    get disorder() {
      return Duration.min(answer, lost < mostLost ? longest : latest)
    },
    doubt: (late) => {
      if (late === undefined) lost++
      else latest = Duration.max(latest, Duration.times(late, 3))
    }
  }
}

const mostMisses = 5
const shortest = Duration.seconds(1)
const mostLost = 3
const longest = Duration.seconds(2)

/** How long the first answer may take: a connection is there at once, and a process has to load its program. */
export const startOf = (target: Target, { answer }: Patience): Duration.Duration =>
  target._tag === "Duplex" && target.isProcess ? Duration.max(answer, Duration.seconds(15)) : answer
