/**
 * The identifier of an authorization server. Two texts name the same issuer where they are equal, or differ only by an
 * empty path and the path `/`, which are one URI (RFC 3986, section 6.2.3). Any other difference names another issuer.
 */

/** An identifier without the slash of an empty path. */
const canonical = (issuer: string): string => bare.test(issuer) ? issuer.slice(0, -1) : issuer

/** A scheme and an authority, and the path `/`. */
const bare = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+\/$/i

/** Whether two identifiers name the same issuer. @internal */
export const isSame = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && canonical(one) === canonical(other))
