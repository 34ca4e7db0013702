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

  /** The counts of now. */
  get now(): Counts {
    const { delivered, dropped, offered } = this
    return { offered, delivered, dropped, waiting: offered - delivered - dropped }
  }
}
