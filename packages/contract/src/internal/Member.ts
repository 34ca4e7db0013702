/**
 * The members of a contract without the types of their parts. `Contract` exports these types, too.
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
