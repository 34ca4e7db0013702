/**
 * What a contract and its handlers give the router.
 */
import * as Responses from "@parley/peer/ErrorResponse"
import type { Handler } from "@parley/peer/Handler"
import type { HandlerOptions } from "@parley/peer/Router"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Method from "../../Method.ts"
import type { Lenient, Reading } from "../codec/json.ts"
import * as Params from "../codec/params.ts"
import type { Members } from "../Member.ts"
import { type AnyMember, entriesOf, mapMembers } from "../members.ts"
import * as Serve from "./method.ts"
import * as Publish from "./subscription.ts"

/** A handler by its name on the wire, and when its requests start. @internal */
export interface Route<R> extends HandlerOptions {
  readonly method: string
  readonly handler: Handler<Responses.ErrorResponse, R>
}

/** Handlers by member. What they take and give is checked where they meet their contract. @internal */
export type AnyHandlers<R> = { readonly [name: string]: Serve.AnyHandler<unknown, R> & Publish.StreamHandler<R> }

/** @internal */
export const make = <R>(
  contract: string,
  members: Members,
  handlers: AnyHandlers<R>,
  scope: Scope.Scope,
  lenient: Lenient | undefined
): ReadonlyArray<Route<R>> => {
  const open = Publish.openSubscriptions(scope)
  const exact = new Set(
    entriesOf(members).flatMap(([name, member]) => Params.askForDigits(member.params) ? [member.method ?? name] : [])
  )

  const servedBy = (
    handler: AnyHandlers<R>[string],
    method: string,
    member: AnyMember,
    reading: Reading
  ): Serve.Served<R> => {
    switch (member._tag) {
      case "Method":
        return Serve.method(method, member, handler, reading)
      case "Notification":
        return Serve.notification(method, member, handler, reading)
      case "Subscription":
        return Publish.make(method, member, handler, open, reading)
    }
  }

  const serve = (name: string, member: AnyMember, lenient: Lenient | undefined): Serve.Served<R> => {
    const handler = handlers[name]
    if (handler === undefined) throw new TypeError("the handlers have none of this name")
    const method = member.method ?? name
    const served = servedBy(handler, method, member, { exact: exact.has(method), lenient })
    return member.callsBack ? Serve.callingBack(served) : served
  }

  const byMethod = new Map<string, { readonly order: HandlerOptions["order"]; readonly all: Array<Both<R>> }>()
  mapMembers(contract, members, (name, member) => {
    const method = member.method ?? name
    const order = member._tag === "Notification" ? "afterNotifications" : member.order
    const known = byMethod.get(method)
    const strict = serve(name, member, undefined)
    const both = { strict, chosen: lenient === undefined ? strict : serve(name, member, lenient) }
    if (known === undefined) byMethod.set(method, { order, all: [both] })
    else if (known.order === order) known.all.push(both)
    else throw new TypeError(`the members with the method ${method} must have the same order`)
  })
  const closings = new Set(entriesOf(members).flatMap(([, member]) => closeOf(member)))
  return [
    ...Array.from(byMethod, ([method, { all, order }]): Route<R> => ({
      ...{ method, order, handler: handlerOf(all) },
      exact: exact.has(method)
    })),
    // A caller that knows the id has its response already, so that no earlier notification can matter.
    ...Array.from(closings, (method): Route<R> => ({ method, handler: Publish.closing(open), order: "concurrent" }))
  ]
}

/** A middleware of a contract, which may fail with an error that the contract declares. @internal */
export type Middleware = (handler: Handler) => Handler<unknown>

/** The middleware, whose failures are written as those of handlers are. @internal */
export const wrapping = (middleware: Middleware, errors: Method.Errors): (handler: Handler) => Handler => {
  const settle = { onSuccess: Exit.succeed<Schema.Json | void>, onFailure: Serve.failures(errors) }
  return (handler) => {
    const wrapped = middleware(handler)
    return (call) => Effect.matchCauseEffectEager(wrapped(call), settle)
  }
}

/** A member as it reads params in full, and as its contract reads them. */
interface Both<R> {
  readonly strict: Serve.Served<R>
  readonly chosen: Serve.Served<R>
}

const handlerOf = <R>([first, ...others]: ReadonlyArray<Both<R>>): Route<R>["handler"] => {
  // A method is served by a member at least.
  const member = first as Both<R>
  return others.length === 0 ? Serve.handlerOf(member.chosen) : firstThatReads([member, ...others])
}

/**
 * The first member that can read the params serves a call. Where none can, the answer has the issues of all. Something is
 * left out of the params only where no member reads them in full.
 */
const firstThatReads = <R>(members: ReadonlyArray<Both<R>>): Route<R>["handler"] => {
  const all = [
    ...members.map(({ strict }) => strict),
    ...members.flatMap(({ chosen, strict }) => chosen === strict ? [] : [chosen])
  ]
  return (call) => {
    const serve = (
      index: number,
      issues: ReadonlyArray<Responses.ErrorResponse>
    ): ReturnType<Route<R>["handler"]> => {
      const member = all[index]
      if (member === undefined) return Exit.fail(refusalOf(issues.slice(-members.length)))
      return Effect.matchCauseEffectEager(member.decode(call.params), {
        onSuccess: (params) => member.run(params, call),
        onFailure: (cause): ReturnType<Route<R>["handler"]> => {
          const failure = cause.reasons.find(Cause.isFailReason)
          return failure === undefined ? Exit.failCause(cause) : serve(index + 1, [...issues, failure.error])
        }
      })
    }
    return serve(0, [])
  }
}

const refusalOf = (refusals: ReadonlyArray<Responses.ErrorResponse>): Responses.ErrorResponse => {
  const issues = refusals.flatMap(({ data }) => Array.isArray(data) ? data : [])
  const { code, message } = Responses.invalidParams([])
  return Responses.make(code, message, issues)
}

const closeOf = (member: AnyMember) =>
  member._tag === "Subscription" && member.carrier._tag === "Notifications" ? [member.carrier.close] : []
