/**
 * What every listener does with a connection.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Transport } from "../Transport.ts"
import type { TransportError } from "../TransportError.ts"

/** Runs the handler in the connection's Scope. Its failures and defects are ours to log and nobody's to see. */
export const serve = <E, R>(
  address: string,
  open: Effect.Effect<Transport["Service"], TransportError, Scope.Scope>,
  handler: (transport: Transport["Service"]) => Effect.Effect<unknown, E, R>
): Effect.Effect<void, never, Exclude<R, Scope.Scope>> =>
  Effect.scoped(Effect.flatMap(open, handler)).pipe(
    Effect.catchCause((cause) =>
      Cause.hasDies(cause)
        ? Effect.logError(`The handler of a connection to ${address} died`, cause)
        : Effect.logDebug(`A connection to ${address} ended`, cause)
    ),
    Effect.asVoid
  )

/** Counts connections: `accepted` runs while fewer than `connections` others do, else `refused` does. */
export const admit = (options: { readonly address: string; readonly connections: number }) => {
  let open = 0
  const leave = Effect.sync(() => void open--)
  return <R>(accepted: Effect.Effect<void, never, R>, refused: Effect.Effect<void>): Effect.Effect<void, never, R> =>
    Effect.suspend(() => {
      if (open >= options.connections) {
        return Effect.andThen(
          Effect.logWarning(`Refused a connection to ${options.address}: ${open} are open`),
          refused
        )
      }
      open++
      return Effect.ensuring(accepted, leave)
    })
}
