/**
 * Bytes that all connections of one listener may hold together.
 *
 * Limits bound one connection; a thousand of them could still exhaust a process.
 * A server makes one `Budget` and provides it while it listens: the framing takes
 * from it for unfinished frames, the peer for what waits to run or to be written.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"

/**
 * Bytes shared by several connections.
 *
 * @category models
 * @since 0.1.0
 */
export interface Budget {
  /** Takes bytes, or gives them back where the number is negative. */
  readonly take: (bytes: number) => void
  /** Whether all bytes are taken, so that nothing more should be accepted. */
  readonly isSpent: () => boolean
  /** Bytes taken now. */
  readonly taken: () => number
  /** Calls back whenever a spent budget has room again. Gives the way to stop it. */
  readonly onRoom: (wake: () => void) => () => void
}

/**
 * The budget that connections made in this context share. None where nobody listens.
 *
 * @category services
 * @since 0.1.0
 */
export const Budget: Context.Reference<Budget | undefined> = Context.Reference<Budget | undefined>(
  "@parley/transport/Budget",
  { defaultValue: () => undefined }
)

/**
 * A budget of so many bytes. What is held already may go beyond it by one text per connection.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (limit: number): Budget => {
  const wakes = new Set<() => void>()
  let taken = 0
  return {
    take: (bytes) => {
      const wasSpent = taken >= limit
      taken += bytes
      if (wasSpent && taken < limit) { for (const wake of [...wakes]) wake() }
    },
    isSpent: () => taken >= limit,
    taken: () => taken,
    onRoom: (wake) => {
      wakes.add(wake)
      return () => {
        wakes.delete(wake)
      }
    }
  }
}
