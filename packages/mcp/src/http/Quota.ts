/**
 * How much of an MCP server over HTTP one party may have at once.
 *
 * A party is a principal by its `Handshake.Name`, where `authorize` gives one. All other
 * requests count by the address of the client: of IPv4 each address, of IPv6 each network
 * of 64 bits. Requests beyond a quota are refused with 429; others do not notice.
 *
 * ```ts run
 * import { McpHttp } from "@parley/mcp"
 * import * as Quota from "@parley/mcp/http/Quota"
 *
 * const quotas: Quota.Options = { principal: { calls: 16 }, address: false }
 *
 * console.log(Quota.make(quotas).principal) // => { sessions: 1000, streams: 256, calls: 16 }
 *
 * export const route = McpHttp.layer({ quotas })
 * ```
 *
 * @since 0.1.0
 */

/**
 * The bounds of one party. `Infinity` is no bound.
 *
 * @category models
 * @since 0.1.0
 */
export interface Quota {
  /** Legacy sessions. */
  readonly sessions: number
  /** Streams that stay open as long as their client likes: those of GET and of `subscriptions/listen`. */
  readonly streams: number
  /**
   * Requests that run, also those whose client has left its session; each of a batch counts. An address may have as many
   * requests beside them whose bodies are not there yet, whoever sends these.
   */
  readonly calls: number
}

/**
 * The quotas of an endpoint, by the kind of party. `false` is no quota.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** Of each principal that has a name; what is left out is that of `defaults`. */
  readonly principal?: Partial<Quota> | false | undefined
  /** Of each address of the clients that have no name; what is left out is that of `defaults`. */
  readonly address?: Partial<Quota> | false | undefined
  /**
   * Of this machine, and of all clients together whose address is not known; what is left out has no bound. `false` by
   * default. A client behind a trusted proxy is never one of these, whatever the proxy says.
   */
  readonly loopback?: Partial<Quota> | false | undefined
}

/**
 * The default quota of a principal, and of an address. An office behind one address has room, and many addresses are needed
 * to take all that there is: ten for the 10,000 sessions of a process, four for its 1,024 streams or requests.
 *
 * @category constructors
 * @since 0.1.0
 */
export const defaults: Quota = { sessions: 1_000, streams: 256, calls: 256 }

/**
 * No bound at all.
 *
 * @category constructors
 * @since 0.1.0
 */
export const unlimited: Quota = { sessions: Infinity, streams: Infinity, calls: Infinity }

/**
 * The quotas of each kind of party, with the defaults. Partial: throws a `RangeError` that names the quota which is
 * neither a whole number of at least 1 nor `Infinity`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options | false = {}): Readonly<Record<keyof Options, Quota>> => {
  const { address = {}, loopback = false, principal = {} } = options === false ? none : options
  return {
    principal: quotaOf("principal", principal, defaults),
    address: quotaOf("address", address, defaults),
    loopback: quotaOf("loopback", loopback, unlimited)
  }
}

const none: Options = { principal: false, address: false }

const quotaOf = (kind: keyof Options, given: Partial<Quota> | false, usual: Quota): Quota => {
  if (given === false) return unlimited
  const quota = { ...usual, ...given }
  for (const [name, value] of Object.entries(quota)) {
    if (value === Infinity || (Number.isSafeInteger(value) && value >= 1)) continue
    throw new RangeError(
      `\`quotas.${kind}.${name}\` is ${String(value)}, but must be a whole number of at least 1, or Infinity`
    )
  }
  return quota
}
