/** How long probes wait. */
import * as Duration from "effect/Duration"
import type { Target } from "../../Target.ts"

export interface Patience {
  /** For an answer that has to come. */
  readonly answer: Duration.Duration
  /** For a text that must not come, once the server has answered what was sent later. */
  readonly silence: Duration.Duration
  /** Whether the server has long been silent, so that a process is given no time to start either. */
  readonly isShort?: boolean
  /** Hears how long an answer took, or of one that did not come. */
  readonly hear?: (answer: Duration.Duration | undefined) => void
}

/**
 * The patience of a run. A server that answers nothing would cost the whole time for each of some hundred texts: when five
 * answers have not come, others may take three times as long as the slowest that came, and a second at least.
 */
export const make = (answer: Duration.Duration, silence: Duration.Duration): Patience => {
  let misses = 0
  let slowest = shortest
  const isShort = () => misses >= mostMisses
  return {
    get answer() {
      return isShort() ? Duration.min(answer, slowest) : answer
    },
    silence,
    get isShort() {
      return isShort()
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
export const startOf = (target: Target, { answer, isShort = false }: Patience): Duration.Duration =>
  target._tag === "Duplex" && target.isProcess && !isShort ? Duration.max(answer, Duration.seconds(15)) : answer
