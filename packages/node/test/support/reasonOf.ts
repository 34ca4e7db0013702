import type { Transport } from "@parley/transport"
import { Effect } from "effect"

/** The reason that this effect fails with. */
export const reasonOf = <A, R>(
  effect: Effect.Effect<A, Transport.TransportError, R>
): Effect.Effect<Transport.TransportReason, A, R> => Effect.map(Effect.flip(effect), (error) => error.reason)
