/**
 * The serving side of methods and notifications: decodes, runs the handler,
 * encodes.
 */
import { InvalidArguments } from "@parley/peer/Caller"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import * as Responses from "@parley/peer/ErrorResponse"
import type { Call, Handler } from "@parley/peer/Handler"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Method from "../../Method.ts"
import type * as Params from "../../shared/Params.ts"
import * as Errors from "../codec/errors.ts"
import * as Codec from "../codec/json.ts"
import * as ParamsCodec from "../codec/params.ts"
import type { AnyMethod, AnyNotification } from "../members.ts"

/** A handler of which only its member knows the types. @internal */
export type AnyHandler<A, R> = (params: unknown, call: Call) => Effect.Effect<A, unknown, R>

/** What a handler gives, as JSON. A result that does not fit the contract is our fault, not the caller's. @internal */
export const encoder = (schema: Params.Codec): (value: unknown) => Effect.Effect<Schema.Json, ErrorResponse> =>
  Codec.encoder(schema, Responses.internalError)

/** The result of a method's handler, as JSON; null where the method declares no result. @internal */
export const resultEncoder = (
  result: Params.Codec | undefined
): (value: unknown) => Effect.Effect<Schema.Json, ErrorResponse> =>
  result === undefined ? (_) => Exit.succeed(null) : encoder(result)

/** How a handler fails, as error objects. What the contract does not declare is an internal error. @internal */
export const failures = (
  errors: Method.Errors
): (cause: Cause.Cause<unknown>) => Effect.Effect<never, ErrorResponse> => {
  const { encode } = Errors.make(errors)
  const toResponse = (error: unknown) =>
    error instanceof Responses.ErrorResponse
      ? Exit.succeed(error)
      : encode(error) ?? Exit.succeed(Responses.internalError(error))
  return (cause) => Codec.failCause(cause, toResponse)
}

/**
 * What serves a member: how its params are read, and what runs with them. Members that share a name on the wire are told
 * apart by the first.
 *
 * @internal
 */
export interface Served<R> {
  readonly decode: ParamsCodec.ParamsCodec["decode"]
  readonly run: (params: unknown, call: Call) => Effect.Effect<Schema.Json | void, ErrorResponse, R>
}

/** Serves only connections: elsewhere, nobody could be called back. @internal */
export const callingBack = <R>({ decode, run }: Served<R>): Served<R> => ({
  decode,
  run: (params, call) =>
    call.connection === undefined
      ? Exit.fail(Responses.make(-32000, "Methods that call back need a connection"))
      : run(params, call)
})

/** The handler of a name that only this member has. @internal */
export const handlerOf = <R>({ decode, run }: Served<R>): Handler<ErrorResponse, R> => (call) =>
  Effect.flatMapEager(decode(call.params), (params) => run(params, call))

/** @internal */
export const method = <R>(
  name: string,
  { errors, params, paramStructure, partial, result }: AnyMethod,
  handler: AnyHandler<unknown, R>,
  reading: Codec.Reading
): Served<R> => {
  const reply = {
    onSuccess: resultEncoder(result),
    onFailure: failures(errors)
  }
  const typed = partial === undefined ? undefined : withPartial(name, partial)
  return {
    decode: ParamsCodec.make(name, { params, paramStructure }, reading).decode,
    // An exit needs no fiber, and stays one.
    run: typed === undefined
      ? (params, call) => Effect.matchCauseEffectEager(handler(params, call), reply)
      : (params, call) => Effect.matchCauseEffectEager(handler(params, typed(call)), reply)
  }
}

/** The call as the handler of a method with partial results sees it. */
const withPartial = (method: string, schema: Params.Codec) => {
  const encode = Codec.encoder(schema, (cause) => new InvalidArguments({ method, cause }))
  return (call: Call): Call => {
    const { partialResult } = call
    if (partialResult === undefined) return call
    return { ...call, partialResult: (value: unknown) => Effect.flatMapEager(encode(value), partialResult) }
  }
}

/** @internal */
export const notification = <R>(
  name: string,
  member: AnyNotification,
  handler: AnyHandler<unknown, R>,
  reading: Codec.Reading
): Served<R> => {
  const settle = { onSuccess: (_: unknown) => Exit.void, onFailure: failures({}) }
  return {
    decode: ParamsCodec.make(name, member, reading).decode,
    run: (params, call) => Effect.matchCauseEffect(handler(params, call), settle)
  }
}
