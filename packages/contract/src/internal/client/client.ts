/**
 * The typed client. Everything that does not depend on a call is built once per
 * member, so that a call costs its codecs and one frame of the interpreter.
 */
import type { Caller, CallOptions } from "@parley/peer/Caller"
import * as Effect from "effect/Effect"
import type * as Options from "../Client.ts"
import * as Digits from "../codec/digits.ts"
import * as Errors from "../codec/errors.ts"
import type { Lenient } from "../codec/json.ts"
import * as Params from "../codec/params.ts"
import type { Members } from "../Member.ts"
import type { AnyMember, AnyMethod, AnyNotification } from "../members.ts"
import { entriesOf, mapMembers } from "../members.ts"
import * as PartialResults from "./partial.ts"
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
export const make = (
  contract: string,
  members: Members,
  lenient: Lenient | undefined
): (caller: Service) => AnyClient => {
  const functions = mapMembers(contract, members, (name, member) => [name, functionOf(name, member, lenient)] as const)
  return (caller) => {
    const client: Record<string, AnyClient[string]> = Object.create(null)
    for (const [name, of] of functions) client[name] = of(caller)
    callers.set(client, caller)
    return client
  }
}

/** The notifications of a contract, by what sends them. @internal */
export const notifier = (members: Members) => {
  const all = entriesOf(members).flatMap(([name, member]) =>
    member._tag === "Notification" ? [[name, notificationOf(member.method ?? name, member)] as const] : []
  )
  return (to: Options.Notifier<unknown>): object => Object.fromEntries(all.map(([name, of]) => [name, of(to)]))
}

const functionOf = (
  name: string,
  member: AnyMember,
  lenient: Lenient | undefined
): (caller: Service) => AnyClient[string] => {
  const method = member.method ?? name
  switch (member._tag) {
    case "Method":
      return methodOf(method, member, lenient)
    case "Notification":
      return notificationOf(method, member)
    case "Subscription":
      return Subscribe.make(method, member, lenient)
  }
}

/** Whether what comes back to a call has digits that a Schema asks for. @internal */
export const asksForDigits = ({ errors, partial, result }: AnyMethod): boolean =>
  Digits.asksFor(result) || Digits.asksFor(partial) || Errors.askForDigits(errors)

/** A call of a method that may have partial results. */
type MethodOptions = Options.CallOptions & Options.PartialOptions<unknown>

const methodOf = (name: string, method: AnyMethod, lenient: Lenient | undefined) => {
  const { encode } = Params.make(name, method)
  const exact = asksForDigits(method)
  const settle = Settle.make(name, method.result, method.errors, { exact, lenient })
  const { deadline, idempotent } = method
  const defaults: CallOptions | undefined = deadline === undefined && !idempotent && !exact
    ? undefined
    : { timeout: deadline, idempotent, exact }
  const partially = method.partial === undefined
    ? undefined
    : PartialResults.make(name, method.partial, { exact, lenient })
  return (caller: Service) => (params: unknown, options?: MethodOptions) => {
    if (options === undefined) {
      return Effect.flatMapEager(
        encode(params),
        (params) => Effect.matchCauseEffect(caller.request(name, params, defaults), settle)
      )
    }
    const { onPartialResult, ...chosen } = options
    const call = { ...chosen, timeout: chosen.timeout ?? deadline, idempotent, exact }
    return Effect.flatMapEager(encode(params), (params) =>
      onPartialResult === undefined || partially === undefined
        ? Effect.matchCauseEffect(caller.request(name, params, call), settle)
        : partially(onPartialResult, (onPartialResult) =>
          Effect.matchCauseEffect(caller.request(name, params, { ...call, onPartialResult }), settle)))
  }
}

const notificationOf = (name: string, notification: AnyNotification) => {
  const { encode } = Params.make(name, notification)
  return (to: Options.Notifier<unknown>) => (params: unknown) =>
    Effect.flatMapEager(encode(params), (params) => to.notify(name, params))
}
