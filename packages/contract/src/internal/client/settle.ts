/**
 * How a call ends for the caller of a typed client.
 */
import type { CallError } from "@parley/peer/Caller"
import { Excerpt } from "@parley/protocol/shared"
import type * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Method from "../../Method.ts"
import type * as Params from "../../shared/Params.ts"
import * as Errors from "../codec/errors.ts"
import * as Codec from "../codec/json.ts"
import { InvalidResult } from "../ContractError.ts"

/** Reads what was received by the Schema of the contract. @internal */
export const resultDecoder = (
  method: string,
  schema: Params.Codec,
  reading: Codec.Reading
): (json: unknown) => Effect.Effect<unknown, InvalidResult> =>
  Codec.decoder(
    schema,
    ({ message }) => new InvalidResult({ method, issue: Excerpt.lines(message) }),
    `the response to ${method}`,
    reading
  )

/** Gives the typed error of the contract where a remote error fits one, and any other error as it is. @internal */
export const errorDecoder = (
  errors: Method.Errors,
  reading: Codec.Reading
): (error: CallError) => Effect.Effect<unknown> => {
  const { decode } = Errors.make(errors, reading)
  return (error) => error._tag === "RemoteError" ? decode(error) : Exit.succeed(error)
}

/** @internal */
export interface Settle {
  readonly onSuccess: (json: unknown) => Effect.Effect<unknown, unknown>
  readonly onFailure: (cause: Cause.Cause<CallError>) => Effect.Effect<never, unknown>
}

/** Both ends of a call. Functions of one argument, because the interpreter wraps others. @internal */
export const make = (
  method: string,
  result: Params.Codec | undefined,
  errors: Method.Errors,
  reading: Codec.Reading
): Settle => {
  const toError = errorDecoder(errors, reading)
  return {
    onSuccess: result === undefined ? (_) => Exit.void : resultDecoder(method, result, reading),
    onFailure: (cause) => Codec.failCause(cause, toError)
  }
}
