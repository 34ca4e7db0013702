/**
 * The members of a contract with the widest types.
 */
import type * as Method from "../Method.ts"
import type * as Notification from "../Notification.ts"
import type * as Params from "../shared/Params.ts"
import type * as Subscription from "../Subscription.ts"
import type { Member, Members } from "./Member.ts"

/** @internal */
export type AnyMethod = Method.Method<
  Params.Params,
  Params.Codec | undefined,
  Method.Errors,
  Params.Codec | undefined
>

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

/**
 * What a function makes of each member. An error of a definition names the contract and the member.
 *
 * @internal
 */
export const mapMembers = <A>(
  contract: string,
  members: Members,
  make: (name: string, member: AnyMember) => A
): ReadonlyArray<A> =>
  entriesOf(members).map(([name, member]) => {
    try {
      return make(name, member)
    } catch (error) {
      throw error instanceof TypeError
        ? new TypeError(`contract ${contract}, member ${name}: ${error.message}`, { cause: error })
        : error
    }
  })

/** A member whose name on the wire, if it has one of its own, begins with a prefix. @internal */
export const withPrefix = (member: Member, prefix: string): Member => {
  // As in `entriesOf`.
  const { method } = member as AnyMember
  return method === undefined ? member : Object.assign({}, member, { method: `${prefix}${method}` })
}

/** The members, whose methods and subscriptions have these errors beside their own. @internal */
export const withErrors = (contract: string, members: Members, errors: Method.Errors): Members => {
  if (Object.keys(errors).length === 0) return members
  const added = mapMembers(contract, members, (name, member): readonly [string, Member] => {
    if (member._tag === "Notification") return [name, member]
    const twice = Object.keys(errors).find((code) => Object.hasOwn(member.errors, code))
    if (twice !== undefined) throw new TypeError(`the contract has an error of its own for the code ${twice}`)
    return [name, Object.assign({}, member, { errors: { ...member.errors, ...errors } })]
  })
  return Object.fromEntries(added)
}
