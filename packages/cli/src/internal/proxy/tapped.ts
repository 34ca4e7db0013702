/**
 * An exchange whose texts are seen as those of a transport are: each exchange is
 * a connection of its own, since what answers a text comes back with it.
 */
import type { Exchange } from "@parley/peer/shared"
import { Budget } from "@parley/transport/shared"
import { type Transport, type TransportError, transportError, type Wrapping } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Shows every text of the exchange to the wrapping, before it goes on; and why an exchange failed. */
export const exchange = ({ post }: Exchange.Exchange, wrapping: Wrapping): Exchange.Exchange => ({
  post: Effect.fnUntraced(function*(text, take) {
    let next: Effect.Effect<readonly [string], TransportError> = Effect.never
    const mirror: Transport = {
      receive: Effect.suspend(() => next),
      send: () => Effect.void,
      close: Effect.void
    }
    const seen = yield* wrapping(mirror)
    const show = Effect.ignore(seen.receive)
    yield* Effect.ignore(seen.send([text]))
    return yield* Effect.tapError(
      post(text, (answer) => {
        next = Exit.succeed([answer])
        return Effect.andThen(show, Effect.suspend(() => take(answer) ?? Effect.void))
      }),
      (error) => {
        next = Exit.fail(transportError({ _tag: "Lost", cause: error }))
        return show
      }
    )
    // A text that waits to be shown counts no longer than its post.
  }, Budget.withShare)
})
