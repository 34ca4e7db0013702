/**
 * Changes of an audience: a recipient comes or goes.
 */

/**
 * Why somebody is a recipient no more: it was taken out (`left`), its connection or stream has ended (`ended`), it was too
 * slow for the policy `disconnect` (`lagged`), or everything was closed (`closed`).
 *
 * @category models
 * @since 0.1.0
 */
export type Leaving = "left" | "ended" | "lagged" | "closed"

/**
 * A recipient came, or went.
 *
 * @category models
 * @since 0.1.0
 */
export type Change<Recipient> =
  | { readonly _tag: "Joined"; readonly recipient: Recipient }
  | { readonly _tag: "Left"; readonly recipient: Recipient; readonly reason: Leaving }
