/**
 * Quotas: how many sessions, streams and calls of an MCP server over HTTP one party may have at once.
 *
 * A party is a principal by its `Handshake.Name`, where `authorize` gives one. All other
 * requests count by the address of the client: of IPv4 each address, of IPv6 each network
 * of 64 bits. A request beyond a quota is refused with 429; other parties are not affected.
 *
 * ```ts run
 * import { McpHttp } from "@parley/mcp"
 * import * as Quota from "@parley/mcp/http/Quota"
 *
 * const quotas: Quota.QuotaOptions = { principal: { calls: 16 }, address: false }
 *
 * console.log(Quota.make(quotas).principal) // => { sessions: 1000, streams: 256, calls: 16 }
 *
 * export const route = McpHttp.layer({ quotas })
 * ```
 *
 * @since 0.1.0
 */

/**
 * The bounds of one party. `Infinity` lifts a bound.
 *
 * @category models
 * @since 0.1.0
 */
export interface Quota {
  /** How many legacy sessions there may be. */
  readonly sessions: number
  /** How many long-lived streams may be open: those of GET and of `subscriptions/listen`. */
  readonly streams: number
  /**
   * How many requests may run, also those whose client has left its session; each request of a batch counts. An address may
   * have as many further requests whose bodies have not arrived yet.
   */
  readonly calls: number
}

/**
 * The quotas of an endpoint, by the kind of party. `false` sets no quota.
 *
 * @category models
 * @since 0.1.0
 */
export interface QuotaOptions {
  /** The quota of each principal with a name. Members that are left out are those of `defaults`. */
  readonly principal?: Partial<Quota> | false | undefined
  /** The quota of each address of clients without a name. Members that are left out are those of `defaults`. */
  readonly address?: Partial<Quota> | false | undefined
  /**
   * The quota of this machine, and of all clients with an unknown address together. Members that are left out have no bound.
   * `false` by default. A client behind a trusted proxy never belongs here.
   */
  readonly loopback?: Partial<Quota> | false | undefined
}

/**
 * The default quota of a principal, and of an address. It has room for an office behind one address, and one address cannot
 * take all: the 10,000 sessions of a process need ten addresses, its 1,024 streams or requests four.
 *
 * @category constructors
 * @since 0.1.0
 */
export const defaults: Quota = { sessions: 1_000, streams: 256, calls: 256 }

/**
 * A quota without bounds.
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
export const make = (options: QuotaOptions | false = {}): Readonly<Record<keyof QuotaOptions, Quota>> => {
  const { address = {}, loopback = false, principal = {} } = options === false ? none : options
  return {
    principal: quotaOf("principal", principal, defaults),
    address: quotaOf("address", address, defaults),
    loopback: quotaOf("loopback", loopback, unlimited)
  }
}

const none: QuotaOptions = { principal: false, address: false }

const quotaOf = (kind: keyof QuotaOptions, given: Partial<Quota> | false, usual: Quota): Quota => {
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
