import type { TransportError } from "@parley/transport"
import { Effect } from "effect"

/** The reason that this effect fails with. */
export const reasonOf = <A, R>(
  effect: Effect.Effect<A, TransportError.TransportError, R>
): Effect.Effect<TransportError.Reason, A, R> => Effect.map(Effect.flip(effect), (error) => error.reason)
