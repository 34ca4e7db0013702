/** What a store does for an endpoint, which goes on without it. */
import * as Effect from "effect/Effect"

/** Logs where something could not be kept or read, and gives what stands for it then. @internal */
export const loggedAs = (what: string) => <A, E>(effect: Effect.Effect<A, E>, otherwise: A): Effect.Effect<A> =>
  Effect.catchCause(
    effect,
    (cause) => Effect.as(Effect.logWarning(`${what} could not be kept or read`, cause), otherwise)
  )
