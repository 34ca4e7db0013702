/**
 * Tells private hosts from those that the internet leads to.
 *
 * A server that fetches a URL which somebody else has written must not reach hosts that only it can reach: its own
 * machine, its private network, the metadata of its cloud.
 *
 * ```ts run
 * import { Address } from "@parley/http/shared"
 *
 * console.log(Address.isPrivate("169.254.169.254")) // => true
 * console.log(Address.isPrivate("93.184.215.14")) // => false
 * console.log(Address.isLoopback("[::1]")) // => true
 * ```
 *
 * @since 0.1.0
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Schema from "effect/Schema"

/**
 * A host is at a private address, and the request allows only public ones. The request was not sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class PrivateAddress extends Schema.TaggedError<PrivateAddress>()("PrivateAddress", { host: Schema.String }) {
  override get message(): string {
    return `${Excerpt.line(this.host)} is at a private address, and only public ones are allowed`
  }
}

/**
 * Whether a host is this machine, by its name or as an address.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isLoopback = (host: string): boolean => {
  const bare = bareOf(host)
  return bare === "localhost" || bare.endsWith(".localhost") || bare === "::1" || isIn(bare, loopback)
}

/**
 * Whether nobody on the way to a URL can read or change what is sent: it is https, or a URL of this machine.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isSecure = ({ hostname, protocol }: URL): boolean =>
  protocol === "https:" || (protocol === "http:" && isLoopback(hostname))

/**
 * Whether a host, as a URL or a resolver writes it, is this machine or an address that the internet does not lead to.
 * It is false for any other name: resolve the name first, and ask for its address.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isPrivate = (host: string): boolean => {
  const bare = bareOf(host)
  return isLoopback(bare) || (bare.includes(":") ? !isGlobalUnicast(bare) : isIn(bare, special))
}

/** A host without the brackets of an address, and without the dot that ends a whole name. */
const bareOf = (host: string): string =>
  host.startsWith("[") ? host.slice(1, -1) : host.endsWith(".") ? host.slice(0, -1) : host

type Block = readonly [address: string, bits: number]

const loopback: ReadonlyArray<Block> = [["127.0.0.0", 8]]

/** The blocks of IPv4 for special purposes (RFC 6890), multicast, and the reserved ones. */
const special: ReadonlyArray<Block> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
]

/** URLs and resolvers write an IPv4 address as four decimal numbers. */
const numberOf = (address: string): number | undefined =>
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(address)
    ? address.split(".").reduce((number, part) => number * 256 + Number(part), 0)
    : undefined

const isIn = (address: string, blocks: ReadonlyArray<Block>): boolean => {
  const number = numberOf(address)
  return number !== undefined && blocks.some(([block, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(number / size) === Math.floor((numberOf(block) ?? 0) / size)
  })
}

/** `2000::/3`, without the blocks in it that hold an IPv4 address or are for documents. */
const isGlobalUnicast = (address: string): boolean => {
  const [first = "", second = ""] = address.split(":", 2)
  const head = Number.parseInt(first, 16)
  const next = Number.parseInt(second === "" ? "0" : second, 16)
  if (head === 0x2001) return next >= 0x200 && next !== 0xdb8
  return head >= 0x2000 && head <= 0x3fff && head !== 0x2002
}
