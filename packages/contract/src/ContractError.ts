/**
 * The errors that a contract adds to those of a caller.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The response is well-formed, but the contract's Schema refuses what it holds: the result of a call, or an item of a
 * subscription.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidResult extends Schema.TaggedError<InvalidResult>()("InvalidResult", {
  method: Schema.String,
  /** What the Schema says, with the path of each issue. */
  issue: Schema.String
}) {
  override get message(): string {
    return `what ${this.method} gave does not fit the contract: ${this.issue}`
  }
}

/**
 * A subscription's consumer was too slow for what was chosen: so many items were not kept, and the subscription is
 * over.
 *
 * @category errors
 * @since 0.1.0
 */
export class Lagged extends Schema.TaggedError<Lagged>()("Lagged", {
  method: Schema.String,
  /** How many items were not kept. Of those that came before the subscription was open, some may be another's. */
  missed: Schema.Int
}) {
  override get message(): string {
    return `${this.missed} items of ${this.method} came faster than they were taken`
  }
}
