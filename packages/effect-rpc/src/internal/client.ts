/**
 * The client of a contract with the arguments of an `RpcClient`.
 */
import { InvalidArguments } from "@parley/peer/Caller"
import * as Effect from "effect/Effect"
import type * as Rpc from "effect/rpc/Rpc"
import * as RpcSchema from "effect/rpc/RpcSchema"
import * as Stream from "effect/Stream"

/** A client whose functions are known by name only. @internal */
export interface AnyClient {
  readonly [tag: string]: (input: unknown, options?: unknown) => unknown
}

/** @internal */
export const make = (rpcs: ReadonlyArray<Rpc.AnyWithProps>, client: AnyClient): AnyClient => {
  const made: Record<string, AnyClient[string]> = Object.create(null)
  for (const rpc of rpcs) {
    const call = client[rpc._tag]
    if (call !== undefined) made[rpc._tag] = functionOf(rpc, call)
  }
  return made
}

/** Completes the payload as its Schema's `make` does: with defaults, and as the class that it is. */
const functionOf = (rpc: Rpc.AnyWithProps, call: AnyClient[string]): AnyClient[string] => {
  const { _tag: method, payloadSchema } = rpc
  const refuse = RpcSchema.isStreamSchema(rpc.successSchema) ? Stream.fail : Effect.fail
  return (input, options) => {
    let payload: unknown
    try {
      payload = payloadSchema.make(input)
    } catch (cause) {
      return refuse(new InvalidArguments({ method, cause }))
    }
    return call(payload, options)
  }
}
