/**
 * What waits for the reader of a stream of changes. A change that waits already is
 * not kept twice, so that a slow reader costs no more than there are things that
 * change; beyond a bound it is told that it has missed some.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"

/** @internal */
export interface Mailbox<A, E> {
  /** Keeps an element, unless one of this key waits. */
  readonly offer: (key: string, element: A) => void
  /** Ends the stream behind what waits. */
  readonly fail: (error: E) => void
  readonly stream: Stream.Stream<A, E>
}

/** How many elements may wait. */
const mostWaiting = 1_024

/** `overrun` stands for all that did not fit. @internal */
export const make = <A, E>(overrun: A): Mailbox<A, E> => {
  const waiting = new Map<string, A>()
  let failed: Exit.Exit<never, E> | undefined
  let wake: (() => void) | undefined

  const woken = () => {
    const waker = wake
    wake = undefined
    waker?.()
  }

  const take: Effect.Effect<NonEmptyReadonlyArray<A>, E | Cause.Done> = Effect.suspend(() => {
    const [first, ...rest] = waiting.values()
    if (first !== undefined) {
      waiting.clear()
      return Effect.succeed<NonEmptyReadonlyArray<A>>([first, ...rest])
    }
    if (failed !== undefined) return failed
    return Effect.andThen(
      Effect.callback<void>((resume) => {
        wake = () => resume(Effect.void)
        return Effect.sync(() => {
          wake = undefined
        })
      }),
      take
    )
  })

  return {
    offer: (key, element) => {
      if (waiting.has(key)) return
      if (waiting.size >= mostWaiting) {
        waiting.clear()
        waiting.set("overrun", overrun)
      } else waiting.set(key, element)
      woken()
    },
    fail: (error) => {
      failed ??= Exit.fail(error)
      woken()
    },
    stream: Stream.fromPull(Effect.succeed(take))
  }
}
