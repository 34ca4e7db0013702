/**
 * Places for checks that ask an issuer. Those that find no free place wait, each in the queue of its party.
 *
 * A place that becomes free goes to the parties in turn, so that a party with a thousand invented tokens delays the others
 * by one check. Within a party it goes to the newest check: the oldest of a flood have no time left anyway.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The sender of a token that nobody has checked yet, such as the network of its address. */
export const Party: Context.Reference<string | undefined> = Context.Reference<string | undefined>(
  "@parley/oauth/internal/server/Places/Party",
  { defaultValue: () => undefined }
)

interface Waiter {
  readonly resume: () => void
  older: Waiter | undefined
  newer: Waiter | undefined
}

export class Places {
  #free: number
  #isGiving = false
  /** The newest check of each party that waits. The first party is the next one. */
  readonly #newest = new Map<string | undefined, Waiter>()

  constructor(most: number) {
    this.#free = most
  }

  /** Runs an effect in a place. Whoever is interrupted while it waits for one leaves the queue. */
  within<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Party, (party) =>
        Effect.andThen(
          restore(this.#take(party)),
          Effect.ensuring(restore(effect), Effect.sync(() => this.#give()))
        ))
    )
  }

  #take(party: string | undefined): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      if (this.#free > 0) {
        this.#free--
        return resume(Effect.void)
      }
      const older = this.#newest.get(party)
      const waiter: Waiter = { resume: () => resume(Effect.void), older, newer: undefined }
      if (older !== undefined) older.newer = waiter
      this.#newest.set(party, waiter)
      return Effect.sync(() => this.#leave(party, waiter))
    })
  }

  /** Whoever is resumed may give its place back before that returns: it leaves the rest to the loop that is under way. */
  #give() {
    this.#free++
    if (this.#isGiving) return
    this.#isGiving = true
    while (this.#free > 0 && this.#newest.size > 0) this.#resume()
    this.#isGiving = false
  }

  #resume() {
    for (const [party, waiter] of this.#newest) {
      this.#leave(party, waiter)
      const next = this.#newest.get(party)
      // The party is the last one now.
      if (next !== undefined) {
        this.#newest.delete(party)
        this.#newest.set(party, next)
      }
      this.#free--
      return waiter.resume()
    }
  }

  #leave(party: string | undefined, { newer, older }: Waiter) {
    if (older !== undefined) older.newer = newer
    if (newer !== undefined) newer.older = older
    else if (older !== undefined) this.#newest.set(party, older)
    else this.#newest.delete(party)
  }
}
