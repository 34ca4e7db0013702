/**
 * How many calls run at once, on either side.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Caller } from "../Caller.ts"
import type { Call, Middleware } from "../Handler.ts"

/**
 * Runs at most so many calls at once of all handlers that this middleware wraps. A handler that waits for the other
 * side gives its place back, and does not take it again.
 *
 * @category serving
 * @since 0.1.0
 */
export const handler = (limit: number): Middleware => {
  const semaphore = Semaphore.makeUnsafe(limit)
  return (handler) => (call) =>
    // Unlike an acquisition, waiting for a place can be interrupted.
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(semaphore.take(1)), () => {
        const held = place(semaphore)
        return Effect.ensuring(restore(Effect.suspend(() => handler(lettingGo(call, held)))), held.release)
      })
    )
}

/**
 * Lets at most so many requests of this caller wait at once; others wait for their turn. A batch counts as one.
 *
 * @category calling
 * @since 0.1.0
 */
export const caller = (limit: number) => (inner: Caller): Caller => {
  const { withPermit } = Semaphore.makeUnsafe(limit)
  return {
    ...inner,
    request: (method, params, options) => withPermit(inner.request(method, params, options)),
    batch: (members, options) => withPermit(inner.batch(members, options))
  }
}

interface Place {
  /** Gives the place back, once. */
  readonly release: Effect.Effect<void>
}

const place = (semaphore: Semaphore.Semaphore): Place => {
  let held = true
  return {
    release: Effect.suspend(() => {
      if (!held) return Effect.void
      held = false
      return Effect.asVoid(semaphore.release(1))
    })
  }
}

const lettingGo = (call: Call, { release }: Place): Call => ({
  ...call,
  peer: {
    ...call.peer,
    request: (method, params, options) => Effect.andThen(release, call.peer.request(method, params, options)),
    batch: (members, options) => Effect.andThen(release, call.peer.batch(members, options))
  }
})
