/**
 * Counts of published entries and of their ends, for one recipient or for all.
 */

/**
 * How published entries ended for a recipient, or for all recipients there have been: `offered` is always the sum of the
 * other three.
 *
 * @category models
 * @since 0.1.0
 */
export interface Counts {
  /** Entries that were published to them. */
  readonly offered: number
  /** Entries that were handed to their connections or streams. */
  readonly delivered: number
  /** Entries that were dropped, because they were too slow, or left before. */
  readonly dropped: number
  /** Entries that wait in their queues. */
  readonly waiting: number
}

/** Counts for one recipient, or for all. */
export class Counter {
  offered = 0
  delivered = 0
  dropped = 0
  readonly #all: Counter | undefined

  /** Counts for all as well, where it is that of one. */
  constructor(all?: Counter) {
    this.#all = all
  }

  countOffered(): void {
    this.offered++
    this.#all?.countOffered()
  }

  countDelivered(count = 1): void {
    this.delivered += count
    this.#all?.countDelivered(count)
  }

  countDropped(count = 1): void {
    this.dropped += count
    this.#all?.countDropped(count)
  }

  /** The counts of now. */
  get counts(): Counts {
    const { delivered, dropped, offered } = this
    return { offered, delivered, dropped, waiting: offered - delivered - dropped }
  }
}
