/**
 * The serving side of methods and notifications: decodes, runs the handler,
 * encodes.
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import * as Responses from "@parley/peer/ErrorResponse"
import type { Call, Handler } from "@parley/peer/Handler"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Method from "../Method.ts"
import type * as Params from "../Params.ts"
import * as Codec from "./codec.ts"
import * as Errors from "./errors.ts"
import { isSuccess } from "./immediate.ts"
import type { AnyMethod, AnyNotification } from "./members.ts"
import * as ParamsCodec from "./params.ts"

/** A handler of which only its member knows the types. @internal */
export type AnyHandler<A, R> = (params: unknown, call: Call) => Effect.Effect<A, unknown, R>

/** What a handler gives, as JSON. A result that does not fit the contract is our fault, not the caller's. @internal */
export const encoder = (schema: Params.Codec): (value: unknown) => Exit.Exit<Schema.Json, ErrorResponse> =>
  Codec.encoder(schema, Responses.internalError)

/** How a handler fails, as error objects. What the contract does not declare is an internal error. @internal */
export const failures = (errors: Method.Errors): (cause: Cause.Cause<unknown>) => Exit.Exit<never, ErrorResponse> => {
  const { encode } = Errors.make(errors)
  const toResponse = (error: unknown) =>
    error instanceof Responses.ErrorResponse ? error : encode(error) ?? Responses.internalError(error)
  return (cause) => Exit.failCause(Cause.map(cause, toResponse))
}

/** @internal */
export const method = <R>(
  name: string,
  { errors, params, paramStructure, result }: AnyMethod,
  handler: AnyHandler<unknown, R>
): Handler<ErrorResponse, Exclude<R, Scope.Scope>> => {
  const { decode } = ParamsCodec.make(name, { params, paramStructure })
  const reply = {
    onSuccess: result === undefined ? (_: unknown) => Exit.succeed(null) : encoder(result),
    onFailure: failures(errors)
  }
  return (call) => {
    const params = decode(call.params)
    if (Exit.isFailure(params)) return Exit.failCause(params.cause)
    const effect = handler(params.value, call)
    // An exit needs no fiber, and stays one. What others acquire is released before the reply.
    return isSuccess(effect)
      ? reply.onSuccess(effect.value)
      : Effect.matchCauseEffect(Effect.scoped(effect), reply)
  }
}

/** @internal */
export const notification = <R>(
  name: string,
  member: AnyNotification,
  handler: AnyHandler<unknown, R>
): Handler<ErrorResponse, Exclude<R, Scope.Scope>> => {
  const { decode } = ParamsCodec.make(name, member)
  const toFailure = failures({})
  return (call) => {
    const params = decode(call.params)
    if (Exit.isFailure(params)) return Exit.failCause(params.cause)
    const effect = Effect.scoped(handler(params.value, call))
    return Effect.matchCauseEffect(effect, { onSuccess: (_) => Exit.void, onFailure: toFailure })
  }
}
