/**
 * Connections that lead to public addresses alone.
 *
 * A name is resolved once, for the connection that is opened with what was found: a name that changes its address
 * meanwhile leads nowhere else.
 */
import { Address } from "@parley/http/shared"
import dns from "node:dns"
import type { LookupFunction } from "node:net"
import type * as Undici from "undici"

/** The same options for connections that refuse private addresses. */
export const publicOnly = (settings: Undici.Pool.Options): Undici.Pool.Options => ({
  ...settings,
  // `open` gives options, not a function that connects.
  connect: { ...settings.connect as object, lookup }
})

/** Throws where a host is a private address by itself: such a host is not resolved. */
export const refusePrivate = (host: string): void => {
  if (Address.isPrivate(host)) throw new Address.PrivateAddress({ host })
}

export const lookup: LookupFunction = (host, options, callback) => {
  dns.lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, [])
    const allowed = found.filter(({ address }) => !Address.isPrivate(address))
    const [first] = allowed
    if (first === undefined) return callback(new Address.PrivateAddress({ host }), [])
    return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family)
  })
}
