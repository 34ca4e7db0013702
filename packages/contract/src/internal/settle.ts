/**
 * How a call ends for the caller of a typed client.
 */
import type { CallError } from "@parley/peer/CallerError"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { InvalidResult } from "../ContractError.ts"
import type * as Method from "../Method.ts"
import type * as Params from "../Params.ts"
import * as Codec from "./codec.ts"
import * as Errors from "./errors.ts"

/** What was received as what the contract says it is. @internal */
export const resultDecoder = (
  method: string,
  schema: Params.Codec
): (json: unknown) => Exit.Exit<unknown, InvalidResult> =>
  Codec.decoder(schema, ({ message }) => new InvalidResult({ method, issue: message }))

/** An application error that fits the contract as that error, any other as it is. @internal */
export const errorDecoder = (errors: Method.Errors): (error: CallError) => unknown => {
  const { decode } = Errors.make(errors)
  return (error) => error._tag === "RemoteError" ? decode(error) : error
}

/** @internal */
export interface Settle {
  readonly onSuccess: (json: unknown) => Exit.Exit<unknown, unknown>
  readonly onFailure: (cause: Cause.Cause<CallError>) => Exit.Exit<never, unknown>
}

/** Both ends of a call. Functions of one argument, because the interpreter wraps others. @internal */
export const make = (method: string, result: Params.Codec | undefined, errors: Method.Errors): Settle => {
  const toError = errorDecoder(errors)
  return {
    onSuccess: result === undefined ? (_) => Exit.void : resultDecoder(method, result),
    onFailure: (cause) => Exit.failCause(Cause.map(cause, toError))
  }
}
