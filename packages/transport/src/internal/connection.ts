/**
 * What every listener does with a connection.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as LogLevel from "effect/LogLevel"
import type * as Scope from "effect/Scope"
import * as Budget from "../shared/Budget.ts"
import type { Transport } from "../Transport.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * Opens a connection and runs the handler in its Scope, with a share of the budget where there is one. Fails only when
 * it cannot be opened: failures and defects of the handler are logged.
 */
export const serve = <E, R>(
  address: string,
  open: Effect.Effect<Transport, TransportError, Scope.Scope>,
  handler: (transport: Transport) => Effect.Effect<unknown, E, R>
): Effect.Effect<void, TransportError, Exclude<R, Scope.Scope>> =>
  // Given back last: what the connection holds goes when its Scope closes.
  Budget.withShare(Effect.scoped(Effect.flatMap(open, (transport) => logged(address, handler(transport)))))

/** As `serve`, where a connection that cannot be opened is one of many, and logged as well. */
export const serveOneOfMany = <E, R>(
  address: string,
  open: Effect.Effect<Transport, TransportError, Scope.Scope>,
  handler: (transport: Transport) => Effect.Effect<unknown, E, R>
): Effect.Effect<void, never, Exclude<R, Scope.Scope>> => logged(address, serve(address, open, handler))

const logged = <E, R>(address: string, effect: Effect.Effect<unknown, E, R>): Effect.Effect<void, never, R> =>
  Effect.asVoid(Effect.catchCause(effect, (cause) =>
    Cause.hasDies(cause)
      ? Effect.logError(`The handler of a connection to ${Excerpt.line(address)} died`, Excerpt.cause(cause))
      : debug(address, cause)))

/** A cause is rendered where somebody reads it alone: connections end often. */
const debug = (address: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.flatMap(LogLevel.isEnabled("Debug"), (isRead) =>
    isRead
      ? Effect.logDebug(`A connection to ${Excerpt.line(address)} ended`, Excerpt.cause(cause))
      : Effect.void)
