/**
 * The typed client: all that can be is built once per member, so that a call
 * costs its codecs and one frame of the interpreter.
 */
import type { Caller, CallOptions } from "@parley/peer/Caller"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Contract from "../Contract.ts"
import type { AnyMember, AnyMethod, AnyNotification } from "./members.ts"
import { entriesOf } from "./members.ts"
import * as Params from "./params.ts"
import * as Settle from "./settle.ts"
import * as Subscribe from "./subscribe.ts"

type Service = Caller["Service"]

/** A client whose functions are known by name only. @internal */
export interface AnyClient {
  readonly [name: string]: (params: unknown, options?: never) => unknown
}

/** Where a client keeps its caller, for batches. */
const callers = new WeakMap<object, Service>()

/** The caller of a client that was made here. @internal */
export const callerOf = (client: object): Service | undefined => callers.get(client)

/** @internal */
export const make = (members: Contract.Members): (caller: Service) => AnyClient => {
  const functions = entriesOf(members).map(([name, member]) => [name, functionOf(name, member)] as const)
  return (caller) => {
    const client: Record<string, AnyClient[string]> = Object.create(null)
    for (const [name, of] of functions) client[name] = of(caller)
    callers.set(client, caller)
    return client
  }
}

const functionOf = (
  name: string,
  member: AnyMember
): (caller: Service) => AnyClient[string] => {
  switch (member._tag) {
    case "Method":
      return methodOf(name, member)
    case "Notification":
      return notificationOf(name, member)
    case "Subscription":
      return Subscribe.make(name, member)
  }
}

const methodOf = (name: string, method: AnyMethod) => {
  const { encode } = Params.make(name, method)
  const settle = Settle.make(name, method.result, method.errors)
  const { deadline, idempotent } = method
  const defaults: CallOptions | undefined = deadline === undefined && !idempotent
    ? undefined
    : { timeout: deadline, idempotent }
  return (caller: Service) => (params: unknown, options?: Contract.CallOptions) => {
    const encoded = encode(params)
    if (Exit.isFailure(encoded)) return encoded
    const chosen = options === undefined
      ? defaults
      : { ...options, timeout: options.timeout ?? deadline, idempotent }
    return Effect.matchCauseEffect(caller.request(name, encoded.value, chosen), settle)
  }
}

const notificationOf = (name: string, notification: AnyNotification) => {
  const { encode } = Params.make(name, notification)
  return (caller: Service) => (params: unknown) => {
    const encoded = encode(params)
    return Exit.isFailure(encoded) ? encoded : caller.notify(name, encoded.value)
  }
}
