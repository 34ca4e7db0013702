/**
 * Which hosts and origins may reach a server that speaks HTTP or WebSockets.
 *
 * A page in a browser can send requests to this machine. Such a request has the
 * `Origin` of the page, or, when the page has rebound its DNS name, a `Host` that
 * does not name this machine. For connections from loopback both are refused unless
 * they are listed. From other addresses every host is accepted until you list some;
 * so is every origin over HTTP. Over WebSockets an origin has to be listed wherever
 * it comes from, because no browser asks before it opens one.
 *
 * ```ts run
 * import { Access } from "@parley/http/shared"
 *
 * const refusal = Access.make({ origins: ["https://app.example.org"] }, true)
 *
 * console.log(refusal({ host: "localhost:4000", origin: "https://app.example.org" })) // => undefined
 * console.log(refusal({ host: "localhost:4000", origin: "https://evil.example" })) // => Origin
 * console.log(refusal({ host: "rebound.example" })) // => Host
 * ```
 *
 * @since 0.1.0
 */
import { type Head, hostOf } from "@parley/transport/Handshake"

/**
 * The allowed hosts and origins.
 *
 * @category models
 * @since 0.1.0
 */
export interface AccessOptions {
  /**
   * Values of `Host` without their port, or `"any"`. The default on loopback is the names of this machine: `localhost`,
   * `127.x.x.x` and `[::1]`. The default on other addresses is any.
   */
  readonly hosts?: ReadonlyArray<string> | "any" | undefined
  /**
   * Values of `Origin`, as in `https://app.example.org`, `"loopback"` for pages that this machine serves, or `"any"`.
   * Non-browser clients send no `Origin` and are not affected. The default is none; over HTTP from other addresses than
   * loopback it is any.
   */
  readonly origins?: ReadonlyArray<string> | "loopback" | "any" | undefined
}

/**
 * The headers that decide.
 *
 * @category models
 * @since 0.1.0
 */
export interface AccessHeaders {
  /** The `Host`, with or without its port. */
  readonly host?: string | undefined
  /** The `Origin`, where one came. */
  readonly origin?: string | undefined
}

/**
 * Why a request is refused.
 *
 * @category models
 * @since 0.1.0
 */
export type AccessRefusal = "Host" | "Origin"

/**
 * Gives the reason for refusing a request, `undefined` when it may pass.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  options: AccessOptions,
  onLoopback: boolean
): (headers: AccessHeaders) => AccessRefusal | undefined => {
  const isHost = options.hosts === undefined && onLoopback ? isLoopback : listed(options.hosts ?? "any")
  const origins = options.origins ?? (onLoopback ? [] : "any")
  const isOrigin = origins === "any"
    ? () => true
    : origins === "loopback"
    ? isLoopbackOrigin
    : (origin: string) => origins.includes(origin)
  return ({ host, origin }) => {
    if (!isHost(nameOf(host ?? ""))) return "Host"
    return origin === undefined || isOrigin(origin) ? undefined : "Origin"
  }
}

/**
 * As `make`, by the address of each client: a server on all addresses is reached by the pages of its own machine, too.
 * An address that is not known counts as loopback.
 *
 * @category constructors
 * @since 0.1.0
 */
export const gate = (
  options: AccessOptions
): (head: Pick<Head, "address" | "header" | "url">) => AccessRefusal | undefined => {
  const nearby = make(options, true)
  const anywhere = make(options, false)
  return (head) => {
    const isNearby = head.address === undefined || isLoopback(head.address)
    return (isNearby ? nearby : anywhere)({ host: hostOf(head), origin: head.header("origin") })
  }
}

/**
 * Whether an address or name is one of loopback.
 *
 * @category guards
 * @since 0.1.0
 */
export const isLoopback = (host: string): boolean =>
  loopback.has(host.toLowerCase()) || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/i.test(host) || host === "::1"

const listed = (hosts: ReadonlyArray<string> | "any"): (host: string) => boolean => {
  if (hosts === "any") return () => true
  const names = new Set(hosts.map((host) => host.toLowerCase()))
  return (host) => names.has(host)
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

const isLoopbackOrigin = (origin: string): boolean => {
  const [, authority] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? []
  return authority !== undefined && isLoopback(nameOf(authority))
}

/** A `Host` without its port. */
const nameOf = (host: string): string => host.replace(/:\d*$/, "").toLowerCase()
