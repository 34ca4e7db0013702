/**
 * Which hosts and origins may reach a server that speaks HTTP or WebSockets.
 *
 * A page in a browser can send requests to this machine: under its own name, with
 * an `Origin` that tells where it comes from, or, by rebinding its DNS name, with
 * a `Host` that is not this machine's. On loopback both are refused unless they
 * are listed; elsewhere nothing is refused that nobody named.
 *
 * @since 0.1.0
 */

/**
 * What is allowed.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * Values of `Host` without their port, or `"any"`. The default on loopback is what names this machine alone:
   * `localhost`, `127.0.0.1` and its like, `[::1]`; elsewhere any.
   */
  readonly hosts?: ReadonlyArray<string> | "any" | undefined
  /**
   * Values of `Origin`, as in `https://app.example.org`, `"loopback"` for pages that this machine serves, or `"any"`.
   * What is no browser sends none, and needs none. The default on loopback is none, elsewhere any.
   */
  readonly origins?: ReadonlyArray<string> | "loopback" | "any" | undefined
}

/**
 * The headers that are looked at.
 *
 * @category models
 * @since 0.1.0
 */
export interface Headers {
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

/**
 * Why a request is refused.
 *
 * @category models
 * @since 0.1.0
 */
export type Refusal = "Host" | "Origin"

/**
 * Says why a request is refused; `undefined` where it may pass.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  options: Options,
  onLoopback: boolean
): (headers: Headers) => Refusal | undefined => {
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
 * Whether an address or name is that of this machine alone.
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
