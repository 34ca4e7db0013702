/**
 * The members of a contract without the types of their parts. `Contract` exports these types, too.
 *
 * ```ts run
 * import { Contract, Method, Notification } from "@parley/contract"
 * import type { Members } from "@parley/contract/Member"
 *
 * const kindsOf = (members: Members) => Object.entries(members).map(([name, { _tag }]) => `${name}: ${_tag}`)
 *
 * const { members } = Contract.make("Clock", { now: Method.make(), tick: Notification.make() })
 * console.log(kindsOf(members)) // => [ 'now: Method', 'tick: Notification' ]
 * ```
 *
 * @since 0.1.0
 */

/**
 * A method, a notification or a subscription. It has no type parameters: as a constraint, those of the widest method
 * would be inferred for options that a narrower one leaves out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Member {
  /** Its kind. */
  readonly _tag: "Method" | "Notification" | "Subscription"
}

/** Members by their name on the wire. @category models @since 0.1.0 */
export type Members = { readonly [name: string]: Member }
