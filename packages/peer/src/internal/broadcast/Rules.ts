/**
 * The bounds of an audience, and the policy for those who are too slow.
 */
import * as Limits from "@parley/protocol/Limits"

/**
 * The policy for a recipient whose queue is full, because it takes less than is published: `disconnect` ends the
 * recipient, `sliding` drops the oldest entry of its queue, and `dropping` the new one.
 *
 * @category models
 * @since 0.1.0
 */
export type SlowPolicy = "disconnect" | "sliding" | "dropping"

/**
 * The bounds of a broadcast or a feed.
 *
 * @category models
 * @since 0.1.0
 */
export interface BroadcastLimits {
  /** Texts that wait for one recipient. They are shared by all: this bounds the places for them. */
  readonly messages: number
  /** Characters of these texts. One text is kept even if it is longer. */
  readonly bytes: number
  /** Those who have come, and of whom one who watches has not heard. Those who go are told beyond that. */
  readonly changes: number
  /** Groups that one recipient is in: clients often name them. A subscriber of a feed is in one at most. */
  readonly groups: number
}

/**
 * The default of every bound: 1,024 texts and 1 MiB are some seconds of a busy room, and as much as a slow phone loses
 * sight of; 1,024 changes are as many as a listener has connections; 1,024 groups are more than a person has open.
 *
 * @category constructors
 * @since 0.1.0
 */
export const defaultLimits: BroadcastLimits = { messages: 1_024, bytes: 1_048_576, changes: 1_024, groups: 1_024 }

/**
 * The options of a broadcast or a feed.
 *
 * @category models
 * @since 0.1.0
 */
export interface BroadcastOptions {
  /**
   * The policy for a recipient whose queue is full. `disconnect`, the default, ends its connection, or its stream, with
   * `Lagged`, so that nobody misses anything without knowing. `sliding` drops the oldest text of its queue, and
   * `dropping` the new one: both suit texts that the next one replaces anyway, such as a price.
   */
  readonly slow?: SlowPolicy | undefined
  /** Bounds that differ from `defaultLimits`. */
  readonly limits?: Partial<BroadcastLimits> | undefined
}

/** The bounds and the policy, of which none is left out. */
export interface Rules extends BroadcastLimits {
  readonly slow: SlowPolicy
}

/** Partial: throws a `RangeError` that names a limit which is no whole number. @internal */
export const rulesOf = ({ limits, slow = "disconnect" }: BroadcastOptions): Rules => ({
  ...Limits.checked({ ...defaultLimits, ...limits }),
  slow
})
