/**
 * The errors that a contract adds to those of a caller.
 *
 * ```ts run
 * import { Contract, Method } from "@parley/contract"
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect, Schema } from "effect"
 *
 * const Clock = Contract.make("Clock", { now: Method.make({ result: Schema.Int }) })
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const router = yield* Router.make()
 *   yield* router.add("now", () => Effect.succeed("noon"))
 *   yield* Peer.make(far, { router })
 *   const error = yield* Effect.flip(Clock.client(yield* Peer.make(near)).now())
 *   if (error._tag === "InvalidResult") print(error)
 * })
 *
 * const print = ({ message }: Contract.InvalidResult) => console.log(message)
 * await Effect.runPromise(Effect.scoped(program))
 * // => the response to now does not fit the contract: Expected number
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt, Stackless } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"

/**
 * The response is well-formed, but the contract's Schema refuses what it holds: the result of a call, or an item of a
 * subscription.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidResult extends Stackless.stackless(
  Schema.TaggedError<InvalidResult>()("InvalidResult", {
    method: Schema.String,
    /** The message of the Schema, with the path of each issue. */
    issue: Schema.String
  })
) {
  override get message(): string {
    return `the response to ${this.method} does not fit the contract: ${
      Excerpt.line(this.issue.replaceAll(/\n */g, " "))
    }`
  }
}

/**
 * The consumer of a subscription was too slow: for the capacity and the strategy that it chose, or for the other side,
 * which says so (`ErrorResponse.lagged`). Some items were lost, and the subscription has ended.
 *
 * @category errors
 * @since 0.1.0
 */
export class Lagged extends Schema.TaggedError<Lagged>()("Lagged", {
  method: Schema.String,
  /**
   * The number of items that were lost. It may include items of other subscriptions that came before this one was
   * open.
   */
  missed: Schema.Int
}) {
  override get message(): string {
    return `${this.missed} items of ${this.method} were lost, because the consumer was slower than the sender`
  }
}
