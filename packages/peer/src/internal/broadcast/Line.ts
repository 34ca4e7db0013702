/**
 * The line in which entries are published: one after the other, and only so many in one turn of the event loop.
 *
 * Entries of one turn are told before anybody could take them, so that a full queue does not tell who is slow. So a
 * publisher goes on in the next turn when a small part of a queue was filled in this one: a queue takes many turns from
 * empty to full. To wait for a turn is to wait for no reader.
 */
import * as Effect from "effect/Effect"
import type { Entry, QueueLimits } from "./RecipientQueue.ts"

/** The turns in which a queue may be filled. */
const turns = 32

/** The line of one audience. */
export class Line {
  readonly #limits: QueueLimits
  readonly #behind: Array<() => void> = []
  #isTelling = false
  #last: Entry | undefined = undefined
  /** Entries that were queued in this turn, each once, for however many recipients. */
  #messages = 0
  #bytes = 0
  #turn = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Runs now, or in the next turn that has room. */
  inTurn<A, E>(run: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    if (!this.#isFull) return run()
    const turn = this.#turn
    return Effect.flatMap(Effect.yieldNow, () => {
      // The first of those who wait begins the turn for all.
      if (turn === this.#turn) this.#begin()
      return this.inTurn(run)
    })
  }

  /**
   * Tells of an entry, behind what is being told: to tell one may end the connection of another, and what waits for that
   * end may publish as well.
   */
  tell(tell: () => void): void {
    this.#behind.push(tell)
    if (this.#isTelling) return
    this.#isTelling = true
    try {
      for (let next = this.#behind.shift(); next !== undefined; next = this.#behind.shift()) next()
    } finally {
      this.#isTelling = false
      this.#last = undefined
    }
  }

  /** Counts an entry that somebody has queued. */
  queued(entry: Entry): void {
    if (entry === this.#last) return
    this.#last = entry
    this.#messages++
    this.#bytes += entry.weight
  }

  get #isFull(): boolean {
    return this.#messages * turns >= this.#limits.messages || this.#bytes * turns >= this.#limits.bytes
  }

  #begin(): void {
    this.#turn++
    this.#messages = 0
    this.#bytes = 0
  }
}
