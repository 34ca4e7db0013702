/**
 * A transport on which a write ends: after `Limits.writeStall` without an end the
 * connection is lost. Two sides that never read would hold their proxy forever.
 */
import { type Transport, transportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"

/** The transport, with this bound of milliseconds. */
export const bounded = (inner: Transport, writeStall: number): Transport => ({
  ...inner,
  send: (texts) =>
    Effect.timeoutOrElse(inner.send(texts), {
      duration: writeStall,
      orElse: () => Effect.fail(transportError({ _tag: "Lost", cause: new Error("the other side does not read") }))
    })
})
