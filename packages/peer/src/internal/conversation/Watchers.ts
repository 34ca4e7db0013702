/**
 * Those who wait in a conversation until something holds. Each step asks all of
 * them, and so does a budget that has room again.
 */
import type { Ground } from "./Ground.ts"

/** @internal */
export class Watchers {
  readonly #conversation: Ground
  readonly #looks = new Set<() => boolean>()
  #stopWaking: (() => void) | undefined = undefined

  constructor(conversation: Ground) {
    this.#conversation = conversation
  }

  get size(): number {
    return this.#looks.size
  }

  /** Asks again and again, until that gives `true`. Gives how to leave, which tells whether it was still asked. */
  add(look: () => boolean): () => boolean {
    if (this.#looks.size === 0) {
      this.#stopWaking = this.#conversation.host.budget.onRoom(() => this.#conversation.step())
    }
    this.#looks.add(look)
    return () => this.#delete(look)
  }

  look(): void {
    for (const look of this.#looks) if (look()) this.#delete(look)
  }

  #delete(look: () => boolean): boolean {
    if (!this.#looks.delete(look)) return false
    if (this.#looks.size === 0) this.#stopWaking?.()
    return true
  }
}
