/**
 * What is around the handling of every message: the server's middleware, and a
 * span where a tracer listens. It is made once for all connections, so that a
 * message says which one it came by.
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Call, Handler, Middleware } from "@parley/peer/Handler"
import * as Tracing from "@parley/peer/middleware/Tracing"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import * as McpDialect from "../../../wire/McpDialect.ts"
import type { ConnectionState } from "../dispatch/ConnectionState.ts"
import { isExit } from "./handler.ts"

/** Where a call says which connection it came by: copies of it keep that. @internal */
export const connectionOf: unique symbol = Symbol("@parley/mcp/connection")

/** @internal */
export interface Routed extends Call {
  readonly [connectionOf]: ConnectionState
}

/** Gives the handler of all connections; `undefined` where nothing is around it. @internal */
export const wrapping = <R>(
  middleware: Middleware<ErrorResponse, R> | undefined,
  context: Context.Context<R>
): ((call: Routed) => ReturnType<Handler>) | undefined => {
  const traces = context.mapUnsafe.has(Tracer.Tracer.key)
  if (middleware === undefined && !traces) return undefined
  // Middleware hands on the call that it is given, or a copy with other members.
  const inner: Handler = (call) => (call as Routed)[connectionOf].handle(call)
  const handler: Handler<ErrorResponse, R> = middleware === undefined ? inner : middleware(inner)
  const outer = traces ? tracing(handler) : handler
  return (call) => {
    const effect = outer(call)
    return isExit(effect) ? effect : Effect.provideContext(effect, context)
  }
}

const tracing = Tracing.handler({ traceContext: McpDialect.make(() => undefined).traceContext })
