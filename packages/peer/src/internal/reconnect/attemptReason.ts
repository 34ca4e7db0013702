/**
 * Why an attempt to connect has failed.
 */
import * as TransportError from "@parley/transport/TransportError"
import * as Cause from "effect/Cause"
import { Disconnected, type DisconnectReason } from "../../CallerError.ts"

/** A failure of `onConnect`, a defect, or an attempt that takes too long, is the cause of an `Open`. @internal */
export const attemptReason = (cause: Cause.Cause<unknown>): DisconnectReason => {
  const error = Cause.squash(cause)
  return error instanceof Disconnected || error instanceof TransportError.TransportError
    ? error.reason
    : { _tag: "Open", cause: error }
}
