/**
 * Tells where a client calls from: the address of its connection, or the address that
 * a trusted proxy gives.
 *
 * A proxy passes the requests of many clients on over connections of its own, and
 * writes the address of each client into a header. Any client can write that header,
 * too. So the header counts where the connection comes from a proxy that the server
 * names, and is read from its end: there stands what the nearest proxy has seen.
 *
 * Rules of `Access` ask for the address of the connection, never for this one. A page
 * that has rebound its DNS name can write any header, and would choose its rules.
 *
 * ```ts run
 * import { HttpEndpoint } from "@parley/http"
 *
 * const addressOf = HttpEndpoint.clientAddress({ trusted: ["10.0.0.0/8"], header: "x-forwarded-for" })
 * const header = (name: string) => name === "x-forwarded-for" ? "198.51.100.7" : undefined
 *
 * console.log(addressOf({ address: "10.0.0.1", header }).address) // => 198.51.100.7
 * console.log(addressOf({ address: "203.0.113.9", header }).address) // => 203.0.113.9
 * ```
 *
 * @since 0.1.0
 */
import type { Head } from "@parley/transport/Handshake"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Result from "effect/Result"
import * as forwarded from "./forwarded.ts"

/**
 * The proxies whose word counts.
 *
 * @category models
 * @since 0.1.0
 */
export interface Proxies {
  /**
   * Their addresses, and ranges of addresses such as `10.0.0.0/8`. `"unknown"` stands for connections without an
   * address: those of a Unix socket, and all requests of a Web handler.
   */
  readonly trusted: ReadonlyArray<string>
  /**
   * The header in which they write the address of the client: `Forwarded` (RFC 7239) or `X-Forwarded-For`. Each proxy
   * has to append to it or to replace it. One that passes on what the client has sent lets the client choose its
   * address.
   */
  readonly header: "forwarded" | "x-forwarded-for"
}

/**
 * The place that a request comes from.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientAddress {
  /** The address; an IPv6 address that stands for an IPv4 address is given as that. `undefined` where it is unknown. */
  readonly address: string | undefined
  /**
   * The network that one client is likely to have for itself: of IPv6 the first 64 bits of its address, because it may
   * choose all others; of IPv4 the address.
   */
  readonly network: string | undefined
  /** Whether the connection comes from a trusted proxy. Then also an address of loopback is not one of this machine. */
  readonly isProxied: boolean
}

/**
 * Reads the address of the client from the head of its request. Where a trusted proxy gives no address, or one that
 * cannot be read, its own address is the client's. Without proxies it is the address of the connection. Partial: throws
 * a `RangeError` that names the proxy whose address or range cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const clientAddress = (
  { header, trusted }: Proxies = { trusted: [], header: "forwarded" }
): (head: Pick<Head, "address" | "header">) => ClientAddress => {
  const networks = trusted.filter((name) => name !== unknown).map(networkNamed)
  const isTrusted = (address: NetAddress.IpAddress) => networks.some((network) => IpNetwork.contains(network, address))
  const nobody = { address: undefined, network: undefined, isProxied: trusted.includes(unknown) }
  const peerOf = remember((text) => {
    const address = parse(text)
    return address === undefined
      ? { address: text, network: text, isProxied: false }
      : clientAt(address, isTrusted(address))
  })
  const hopsOf = header === "forwarded" ? forwarded.hopsOf : forwarded.hopsOfList
  const clientIn = remember((value) => {
    let client: NetAddress.IpAddress | undefined
    for (const hop of hopsOf(value)) {
      const address = parse(forwarded.addressOf(hop))
      if (address === undefined) break
      client = address
      if (!isTrusted(address)) break
    }
    return client === undefined ? undefined : clientAt(client, true)
  })
  return (head) => {
    const peer = head.address === undefined ? nobody : peerOf(head.address)
    return peer.isProxied ? clientIn(head.header(header) ?? "") ?? peer : peer
  }
}

const unknown = "unknown"

const ipv6Bits = 64

const clientAt = (address: NetAddress.IpAddress, isProxied: boolean): ClientAddress => {
  const text = NetAddress.formatIp(address)
  const network = NetAddress.isIpv4Address(address)
    ? text
    : IpNetwork.format(IpNetwork.fromAddressUnsafe(address, ipv6Bits))
  return { address: text, network, isProxied }
}

const parse = (text: string | undefined): NetAddress.IpAddress | undefined => {
  if (text === undefined) return undefined
  // A link-local address of a socket names the interface, which no address of a client has.
  const zone = text.indexOf("%")
  const address = NetAddress.ipFromString(zone === -1 ? text : text.slice(0, zone))
  return Result.isSuccess(address) ? NetAddress.toCanonical(address.success) : undefined
}

const networkNamed = (name: string): IpNetwork.IpNetwork => {
  const address = name.includes("/") ? undefined : parse(name)
  const network = address === undefined
    ? IpNetwork.fromString(name)
    : IpNetwork.fromAddress(address, NetAddress.width(address))
  if (Result.isSuccess(network)) return network.success
  throw new RangeError(
    `\`proxies.trusted\` has ${JSON.stringify(name)}, which is no address and no range: ${network.failure.message}`
  )
}

/** Most clients send many requests, and an address takes longer to read than some calls to answer. */
const remember = <A>(read: (text: string) => A): (text: string) => A => {
  const known = new Map<string, A>()
  return (text) => {
    // `undefined` may be what was read.
    if (known.has(text)) return known.get(text) as A
    const made = read(text)
    if (text.length > longest) return made
    if (known.size >= most) known.clear()
    known.set(text, made)
    return made
  }
}

const most = 1_024

const longest = 256
