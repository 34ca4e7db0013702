/**
 * Why a conversation ends when its transport fails.
 */
import type { TransportError } from "@parley/transport/TransportError"
import * as Cause from "effect/Cause"
import type { DisconnectReason } from "../../CallerError.ts"

/** @internal */
export const reasonOf = (cause: Cause.Cause<TransportError>): DisconnectReason =>
  cause.reasons.find(Cause.isFailReason)?.error.reason ?? { _tag: "Lost", cause: Cause.squash(cause) }
