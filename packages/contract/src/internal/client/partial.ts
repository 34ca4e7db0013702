/**
 * The partial results of a method, as their consumer takes them.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Params from "../../shared/Params.ts"
import type * as Codec from "../codec/json.ts"
import { InvalidResult } from "../ContractError.ts"
import * as Settle from "./settle.ts"

/** Makes a call whose partial results are read by the contract. */
type Partially = <A, E, R>(
  onPartialResult: (value: unknown) => void,
  call: (onPartialResult: (json: Schema.Json) => void) => Effect.Effect<A, E, R>
) => Effect.Effect<A, E | InvalidResult, R>

/**
 * A partial result that does not fit ends its call, as a result does that does not. It is read where it came in, so that
 * the order stays; a Schema that takes time cannot read it.
 *
 * @internal
 */
export const make = (method: string, schema: Params.Codec, reading: Codec.Reading): Partially => {
  const decode = Settle.resultDecoder(method, schema, reading)
  return (onPartialResult, call) =>
    Effect.contextWith((context) => {
      const misfit = Deferred.makeUnsafe<never, InvalidResult>()
      const run = Effect.runSyncExitWith(context)
      let isOver = false
      const take = (json: Schema.Json): void => {
        if (isOver) return
        const value = run(decode(json))
        if (Exit.isSuccess(value)) return onPartialResult(value.value)
        isOver = true
        const [failure] = value.cause.reasons.filter(Cause.isFailReason)
        const issue = "the Schema of its partial results takes time, or has failed"
        Deferred.doneUnsafe(misfit, Exit.fail(failure?.error ?? new InvalidResult({ method, issue })))
      }
      return Effect.raceFirst(call(take), Deferred.await(misfit))
    })
}
