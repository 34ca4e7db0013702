/**
 * The members of a contract with the widest types.
 */
import type { Members } from "../Member.ts"
import type * as Method from "../Method.ts"
import type * as Notification from "../Notification.ts"
import type * as Params from "../Params.ts"
import type * as Subscription from "../Subscription.ts"

/** @internal */
export type AnyMethod = Method.Method<Params.Params, Params.Codec | undefined, Method.Errors>

/** @internal */
export type AnyNotification = Notification.Notification<Params.Params>

/** @internal */
export type AnySubscription = Subscription.Subscription<Params.Params, Params.Codec, Method.Errors>

/** @internal */
export type AnyMember = AnyMethod | AnyNotification | AnySubscription

/** The members of a contract by name. @internal */
export const entriesOf = (members: Members): ReadonlyArray<readonly [string, AnyMember]> =>
  // `Member` leaves out what their constructors gave them.
  Object.entries(members as { readonly [name: string]: AnyMember })
