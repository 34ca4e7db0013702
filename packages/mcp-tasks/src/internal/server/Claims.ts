/** The questions of a task that are on their way to a client: each is on one way at a time, of those that there are. */

/** A way to a client. @internal */
export interface Claimant {
  /** Takes the open questions that nobody delivers now. */
  readonly retry: () => void
}

/** @internal */
export class Claims {
  readonly #taken = new Set<string>()
  readonly #ways = new Set<Claimant>()
  readonly #isOpen: (key: string) => boolean

  /** `isOpen` tells whether a question waits for its answer. */
  constructor(isOpen: (key: string) => boolean) {
    this.#isOpen = isOpen
  }

  /** Takes a question for a way; not where it is on one, or has its answer. */
  take(key: string): boolean {
    if (this.#taken.has(key) || !this.#isOpen(key)) return false
    this.#taken.add(key)
    return true
  }

  /** The way of a question has ended: where it brought no answer, another way may. */
  free(key: string) {
    this.#taken.delete(key)
    if (this.#isOpen(key)) { for (const way of [...this.#ways]) way.retry() }
  }

  join(way: Claimant) {
    this.#ways.add(way)
  }

  leave(way: Claimant) {
    this.#ways.delete(way)
  }
}
