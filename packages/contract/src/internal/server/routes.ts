/**
 * What a contract and its handlers give the router.
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Handler } from "@parley/peer/Handler"
import type { MethodOptions } from "@parley/peer/Router"
import type * as Scope from "effect/Scope"
import type { Members } from "../../Member.ts"
import { type AnyMember, entriesOf } from "../members.ts"
import * as Serve from "./method.ts"
import * as Publish from "./subscription.ts"

/** A handler by name, and when its requests start. @internal */
export interface Route<R> {
  readonly method: string
  readonly handler: Handler<ErrorResponse, R>
  readonly order: MethodOptions["order"]
}

/** Handlers by member. What they take and give is checked where they meet their contract. @internal */
export type AnyHandlers<R> = { readonly [name: string]: Serve.AnyHandler<unknown, R> & Publish.StreamHandler<R> }

/** @internal */
export const make = <R>(members: Members, handlers: AnyHandlers<R>, scope: Scope.Scope): ReadonlyArray<Route<R>> => {
  const open = Publish.openSubscriptions(scope)
  const routes = entriesOf(members).map(([method, member]): Route<R> => {
    const handler = handlers[method]
    if (handler === undefined) {
      throw new TypeError(`the contract has a member ${method}, and the handlers have none of this name`)
    }
    switch (member._tag) {
      case "Method":
        return { method, handler: Serve.method(method, member, handler), order: member.order }
      case "Notification":
        return { method, handler: Serve.notification(method, member, handler), order: "afterNotifications" }
      case "Subscription":
        return { method, handler: Publish.make(method, member, handler, open), order: member.order }
    }
  })
  const closings = [...new Set(entriesOf(members).flatMap(([, member]) => closeOf(member)))]
  return [
    ...routes,
    // A caller that knows the id has its response already, so that no earlier notification can matter.
    ...closings.map((method): Route<R> => ({ method, handler: Publish.closing(open), order: "concurrent" }))
  ]
}

const closeOf = (member: AnyMember) =>
  member._tag === "Subscription" && member.carrier._tag === "Notifications" ? [member.carrier.close] : []
