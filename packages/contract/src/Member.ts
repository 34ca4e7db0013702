/**
 * What a contract is made of, without the types of its parts. `Contract` gives these types, too.
 *
 * @since 0.1.0
 */

/**
 * A method, a notification or a subscription. It names no type parameter, because those of a widest method would flow
 * back into what a narrower one leaves out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Member {
  readonly _tag: "Method" | "Notification" | "Subscription"
}

/** Members by their name on the wire. @category models @since 0.1.0 */
export type Members = { readonly [name: string]: Member }
