/** A lock for each key, which is there while somebody holds it or waits for it. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** @internal */
export class Locks {
  readonly #locks = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()

  /** Runs an effect while no other runs for the key. */
  hold<A, E>(key: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        const lock = this.#locks.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        this.#locks.set(key, lock)
        lock.users++
        return lock
      }),
      ({ semaphore }) => semaphore.withPermit(effect),
      (lock) =>
        Effect.sync(() => {
          if (--lock.users === 0) this.#locks.delete(key)
        })
    )
  }
}
