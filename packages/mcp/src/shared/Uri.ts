/**
 * URIs as keys. Two spellings that RFC 3986 calls equivalent (6.2.2.1 and 6.2.2.2) name one resource: the case of scheme
 * and host, the case of percent-encoding, and characters that need no encoding. What no URI may have, such as `é` or a
 * space, is encoded as RFC 6570 (3.1) does for literals of templates, so that a template, what a client makes of it, and
 * a URI as people write it are one, too.
 *
 * Every map and every comparison of URIs goes through `normalised`; what travels stays as its author wrote it. A reserved
 * character is never decoded, so no `/` comes in, and nothing is decoded before the first `:`, because a scheme has no
 * escapes: `%75i:` does not become the scheme `ui`. Segments `.` and `..` stay: variables of templates may hold them, and
 * are looked at there.
 */

/**
 * The one spelling that stands for all equivalent ones. Of a text that is no URI, for a stray `%` in it, only the case of
 * scheme and host counts for nothing: it begins as URIs of its owner do.
 */
export const normalised = (text: string): string => isNormal(text) ? text : lowered(encoded(text))

/** The same with scheme and host as they were written, character by character at the same places. */
export const encoded = (text: string): string => isNormal(text) || !isUri(text) ? text : allSettled(text)

/** Whether everything in a text can be encoded as in a URI. */
export const isUri = (text: string): boolean => !stray.test(text) && text.isWellFormed()

/** An encoded URI with scheme and host in lower case, each character at its place. */
export const lowered = (uri: string): string =>
  uri.replace(beginning, (_, scheme: string, user = "", host = "") => scheme.toLowerCase() + user + lowerHost(host))

/** Whether two texts name one resource. */
export const isSame = (one: string, other: string): boolean => one === other || normalised(one) === normalised(other)

/** Whether a resource is another one, or a part of it. */
export const isWithin = (uri: string, whole: string): boolean => isPartOf(normalised(uri), normalised(whole))

const isPartOf = (uri: string, whole: string): boolean =>
  uri === whole || (uri.startsWith(whole) && (whole.endsWith("/") || "/?#".includes(uri[whole.length] ?? " ")))

/**
 * Whether a host shows what is at a URI as a page. A parser of URLs skips blanks before a URI, and tabs and line breaks in
 * it, and some hosts look only at the scheme: all of these count.
 */
export const isPage = (uri: string): boolean => /^[\0- ]*u[\t\n\r]*i[\t\n\r]*:/i.test(uri)

/** Most URIs are normal: lower case as far as the host goes, and nothing that is or should be encoded. */
const isNormal = (text: string): boolean => !odd.test(text) && (plain.test(text) || hosted.test(text))

const odd = /[^A-Za-z0-9._~!$&'()*+,;=:@/?#[\]-]/

const plain = /^[a-z][a-z0-9+.-]*:(?!\/\/)/

const hosted = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._~!$&'()*+,;=:[\]-]*(?:[/?#]|$)/

const stray = /%(?![0-9A-Fa-f]{2})/

/** Escapes that stand in a text, and characters that should be escaped. */
const unsettled = /%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~!$&'()*+,;=:@/?#[\]%-]/gu

const allSettled = (text: string): string => {
  const scheme = beforeColon.exec(text)?.[0].length ?? 0
  return text.replace(unsettled, (piece: string, at: number) => at < scheme ? escaped(piece) : settled(piece))
}

/** The beginning of a text, where a URI has its scheme. */
const beforeColon = /^[^:/?#]*:/

const escaped = (piece: string): string => piece.startsWith("%") ? piece.toUpperCase() : encodeURIComponent(piece)

const settled = (piece: string): string => {
  if (!piece.startsWith("%")) return escaped(piece)
  const character = String.fromCharCode(Number.parseInt(piece.slice(1), 16))
  return unreserved.test(character) ? character : escaped(piece)
}

const unreserved = /[A-Za-z0-9._~-]/

/** Scheme and authority: what stands before the host, its user, has a case of its own. */
const beginning = /^([A-Za-z][A-Za-z0-9+.-]*:)(?:(\/\/(?:[^/?#@]*@)?)([^/?#]*))?/

const lowerHost = (host: string): string =>
  host.replace(/%[0-9A-F]{2}|[A-Z]+/g, (piece) => piece.startsWith("%") ? piece : piece.toLowerCase())
