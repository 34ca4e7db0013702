/**
 * What became of what was published, for one recipient or for all.
 */

/**
 * What became of what was published to a recipient, or to all recipients there have been: `offered` is always the sum of the
 * other three.
 *
 * @category models
 * @since 0.1.0
 */
export interface Counts {
  /** What was published to them. */
  readonly offered: number
  /** What was handed to their connections or streams. */
  readonly delivered: number
  /** What was dropped, because they were too slow, or left before. */
  readonly dropped: number
  /** What waits in their queues. */
  readonly waiting: number
}

/** @internal */
export class Counter {
  offered = 0
  delivered = 0
  dropped = 0
  readonly #all: Counter | undefined

  /** Counts for all as well, where it is that of one. */
  constructor(all?: Counter) {
    this.#all = all
  }

  offer(): void {
    this.offered++
    this.#all?.offer()
  }

  deliver(count = 1): void {
    this.delivered += count
    this.#all?.deliver(count)
  }

  drop(count = 1): void {
    this.dropped += count
    this.#all?.drop(count)
  }

  /** The counts of now. */
  get now(): Counts {
    const { delivered, dropped, offered } = this
    return { offered, delivered, dropped, waiting: offered - delivered - dropped }
  }
}
