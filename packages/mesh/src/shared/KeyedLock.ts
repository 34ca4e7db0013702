/**
 * A lock for each key, in this process: for stores that cannot lock by themselves, such as those over a `KeyValueStore`.
 *
 * ```ts run
 * import { KeyedLock } from "@parley/mesh/shared"
 * import { Effect } from "effect"
 *
 * const locked = KeyedLock.make()
 *
 * const step = (key: string) =>
 *   locked(
 *     key,
 *     Effect.gen(function*() {
 *       console.log("in", key)
 *       yield* Effect.yieldNow
 *       console.log("out", key)
 *     })
 *   )
 *
 * await Effect.runPromise(Effect.all([step("a"), step("a")], { concurrency: "unbounded" }))
 * // => in a
 * // => out a
 * // => in a
 * // => out a
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/**
 * Runs one effect of a key at a time.
 *
 * @category models
 * @since 0.1.0
 */
export type KeyedLock = <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Locks that are there while somebody holds them or waits for them.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (): KeyedLock => {
  const locks = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  return (key, effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const lock = locks.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        lock.users++
        locks.set(key, lock)
        return lock
      }),
      ({ semaphore }) => semaphore.withPermit(effect),
      (lock) =>
        Effect.sync(() => {
          if (--lock.users === 0) locks.delete(key)
        })
    )
}
