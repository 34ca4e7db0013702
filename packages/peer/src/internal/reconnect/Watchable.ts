/**
 * A value that changes, and its watchers. Each watcher gets every change in
 * order, and loses the oldest when it lags behind.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

/** @internal */
export interface Watchable<A> {
  readonly get: () => A
  /** Changes the value. The last one ends what watches it, and stays. */
  readonly set: (value: A, isLast?: boolean) => void
  /** The value now, and each that follows. */
  readonly changes: Stream.Stream<A>
}

/** Changes that wait for one watcher. A watcher that is further behind learns nothing from the oldest. */
const mostBehind = 64

/** @internal */
export const make = <A>(first: A): Watchable<A> => {
  const watchers = new Set<Queue.Queue<A, Cause.Done>>()
  let current = first
  let isOver = false

  const watch = Effect.map(Queue.sliding<A, Cause.Done>(mostBehind), (queue) => {
    Queue.offerUnsafe(queue, current)
    if (isOver) Queue.endUnsafe(queue)
    else watchers.add(queue)
    return queue
  })

  return {
    get: () => current,
    set: (value, isLast = false) => {
      if (isOver) return
      current = value
      isOver = isLast
      for (const watcher of watchers) {
        Queue.offerUnsafe(watcher, value)
        if (isLast) Queue.endUnsafe(watcher)
      }
      if (isLast) watchers.clear()
    },
    changes: Stream.unwrap(Effect.map(
      Effect.acquireRelease(watch, (queue) => Effect.sync(() => watchers.delete(queue))),
      Stream.fromQueue
    ))
  }
}
