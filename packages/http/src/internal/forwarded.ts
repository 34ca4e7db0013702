/**
 * The headers in which proxies write where a request comes from. The nearest hop stands last in a header, and first in
 * what is given here.
 */

/** The hops of an `X-Forwarded-For`. @internal */
export const hopsOfList = (header: string): ReadonlyArray<string> => header.split(",").reverse()

/**
 * The hops of a `Forwarded` (RFC 7239), empty for an element without one. A single quotation mark of a client can hide all
 * that proxies append, so that a header with a mistake anywhere has no hops.
 *
 * @internal
 */
export const hopsOf = (header: string): ReadonlyArray<string> => {
  const hops: Array<string> = []
  let hop: string | undefined
  for (let at = 0; at <= header.length;) {
    pair.lastIndex = at
    const found = pair.exec(header)
    if (found === null) return []
    const [whole, name, token, quoted, end] = found
    if (name?.toLowerCase() === "for") {
      // Nobody can tell which of two is the one that a proxy has written.
      if (hop !== undefined) return []
      hop = token ?? quoted?.replace(/\\(.)/g, "$1") ?? ""
    }
    at += whole.length
    if (end === ";") continue
    hops.push(hop ?? "")
    hop = undefined
    if (end === "") break
  }
  return hops.reverse()
}

/** The address of a hop without its port; `undefined` where it is hidden, or none. @internal */
export const addressOf = (hop: string): string | undefined => {
  const [, bracketed, dotted, bare] = node.exec(hop.trim()) ?? []
  return bracketed ?? dotted ?? bare
}

/** A pair of an element, if there is one, and what ends it. Values may have colons without quotation marks, as many have. */
// linear: a name, a value and what ends them have no characters in common
const pair = /[ \t]*(?:([^",;=\s]+)=(?:([^",;=\s]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?([;,]|$)/y

const node = /^(?:\[([\da-f:.]+)\](?::[\w.-]+)?|([\d.]+)(?::[\w.-]+)?|([\da-f:.]+))$/i
