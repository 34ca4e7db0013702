/**
 * The typed client. Everything that does not depend on a call is built once per
 * member, so that a call costs its codecs and one frame of the interpreter.
 */
import type { Caller, CallOptions } from "@parley/peer/Caller"
import * as Effect from "effect/Effect"
import type * as Options from "../../Client.ts"
import type { Members } from "../../Member.ts"
import * as Params from "../codec/params.ts"
import type { AnyMember, AnyMethod, AnyNotification } from "../members.ts"
import { entriesOf } from "../members.ts"
import * as Settle from "./settle.ts"
import * as Subscribe from "./subscription.ts"

type Service = Caller

/** A client whose functions are known by name only. @internal */
export interface AnyClient {
  readonly [name: string]: (params: unknown, options?: never) => unknown
}

/** Where a client keeps its caller, for batches. */
const callers = new WeakMap<object, Service>()

/** The caller of a client that was made here. @internal */
export const callerOf = (client: object): Service | undefined => callers.get(client)

/** @internal */
export const make = (members: Members): (caller: Service) => AnyClient => {
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
  return (caller: Service) => (params: unknown, options?: Options.CallOptions) => {
    const chosen = options === undefined
      ? defaults
      : { ...options, timeout: options.timeout ?? deadline, idempotent }
    return Effect.flatMapEager(
      encode(params),
      (params) => Effect.matchCauseEffect(caller.request(name, params, chosen), settle)
    )
  }
}

const notificationOf = (name: string, notification: AnyNotification) => {
  const { encode } = Params.make(name, notification)
  return (caller: Service) => (params: unknown) =>
    Effect.flatMapEager(encode(params), (params) => caller.notify(name, params))
}
