/**
 * The line in which entries are published: one after the other, and only so many in one turn of the event loop.
 *
 * Most entries of one turn are told before anybody could take them, so that a full queue does not tell who is slow. So a
 * publisher goes on in the next turn when a small part of a queue was filled in this one: a queue takes many turns from
 * empty to full. To wait for a turn is to wait for no reader. Publishers wait in the order in which they came, so that one
 * in a loop keeps out nobody.
 */
import type * as Context from "effect/Context"
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
  /** Publishers that wait for a turn, in the order in which they came. */
  readonly #waiting = new Set<() => void>()
  #isAwaited = false

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Runs now, or in the next turn that has room. */
  inTurn<A, E>(run: () => Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.#isFull ? Effect.flatMap(this.#admitted, run) : run()
  }

  readonly #admitted: Effect.Effect<void> = Effect.withFiber(({ context }) =>
    Effect.callback((resume) => {
      const enter = () => resume(Effect.void)
      this.#waiting.add(enter)
      this.#await(context)
      return Effect.sync(() => this.#waiting.delete(enter))
    })
  )

  /** Begins the next turn, and lets in those who wait for it, as far as it has room. */
  #await(context: Context.Context<never>): void {
    if (this.#isAwaited) return
    this.#isAwaited = true
    Effect.runForkWith(context)(Effect.map(Effect.yieldNow, () => {
      this.#isAwaited = false
      this.#messages = 0
      this.#bytes = 0
      for (const enter of this.#waiting) {
        if (this.#isFull) break
        this.#waiting.delete(enter)
        enter()
      }
      if (this.#waiting.size > 0) this.#await(context)
    }))
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
}
