/**
 * Which pages of other origins may read a server's answers, as the Fetch standard
 * has it. Without it no answer has such headers, and browsers keep pages out.
 *
 * Origins are compared exactly, and an origin that is not listed learns nothing.
 * Refusals have the headers as well, so that a page can tell a 401 from a server
 * that is not there.
 *
 * ```ts run
 * import { Cors } from "@parley/http/shared"
 *
 * const cors = Cors.make({ origins: ["https://app.example.org"] }, ["POST"])
 * const from = (origin: string) => ({
 *   method: "POST",
 *   url: "/rpc",
 *   address: undefined,
 *   header: (name: string) => name === "origin" ? origin : undefined
 * })
 *
 * console.log(cors.headersOf(from("https://app.example.org"))["access-control-allow-origin"])
 * // => https://app.example.org
 * console.log(cors.headersOf(from("https://evil.example"))["access-control-allow-origin"]) // => undefined
 * ```
 *
 * @since 0.1.0
 */
import type { Head } from "@parley/transport/Handshake"
import * as Duration from "effect/Duration"

/**
 * The pages that may call, and what they may send and see.
 *
 * @category models
 * @since 0.1.0
 */
export interface CorsOptions {
  /**
   * Values of `Origin`, as in `https://app.example.org`; `access` admits them as well. `"any"` is for public servers
   * without credentials: with `credentials` it is a defect.
   */
  readonly origins: ReadonlyArray<string> | "any"
  /** Whether pages may send cookies and see the answers to them. False by default. */
  readonly credentials?: boolean | undefined
  /** Headers that pages may send. By default those that they ask for. */
  readonly headers?: ReadonlyArray<string> | undefined
  /** Headers of answers that pages may see, beside the few that they always see. */
  readonly exposedHeaders?: ReadonlyArray<string> | undefined
  /** How long a browser may keep the answer to a preflight. The browser decides by default, for 5 seconds in most. */
  readonly maxAge?: Duration.Input | undefined
  /** Whether pages of the internet may call a server in the private network of their browser. False by default. */
  readonly privateNetwork?: boolean | undefined
}

/**
 * The headers by which browsers decide.
 *
 * @category models
 * @since 0.1.0
 */
export interface Cors {
  /** Whether pages of this origin may call. */
  readonly admits: (origin: string) => boolean
  /** The headers that every answer to this request has. */
  readonly headersOf: (head: Head) => Readonly<Record<string, string>>
  /** The headers of the answer, 204, where this request is the preflight of an origin that may call. */
  readonly preflight: (head: Head) => Readonly<Record<string, string>> | undefined
}

/**
 * The rules of a server that serves these methods.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: CorsOptions, methods: ReadonlyArray<string>): Cors => {
  const { credentials = false, exposedHeaders = [], headers, maxAge, origins, privateNetwork = false } = options
  if (origins === "any" && credentials) {
    throw new TypeError("`cors.origins` has to list the origins where `cors.credentials` is true: it is \"any\"")
  }
  const admits = (origin: string) => origins === "any" || origins.includes(origin)
  const vary = origins === "any" ? {} : { vary: "Origin" }
  const allowed = (origin: string) => ({
    ...vary,
    "access-control-allow-origin": origins === "any" ? "*" : origin,
    ...(credentials ? { "access-control-allow-credentials": "true" } : {})
  })
  const exposed = exposedHeaders.length === 0 ? {} : { "access-control-expose-headers": exposedHeaders.join(", ") }
  const forPreflight = {
    "access-control-allow-methods": methods.join(", "),
    ...(maxAge === undefined
      ? {}
      : { "access-control-max-age": String(Math.floor(Duration.toSeconds(Duration.fromInputUnsafe(maxAge)))) })
  }
  return {
    admits,
    headersOf: ({ header }) => {
      const origin = header("origin")
      return origin === undefined || !admits(origin) ? vary : { ...allowed(origin), ...exposed }
    },
    preflight: ({ header, method }) => {
      const origin = header("origin")
      if (method !== "OPTIONS" || origin === undefined || !admits(origin)) return undefined
      if (header("access-control-request-method") === undefined) return undefined
      const asked = headers?.join(", ") ?? header("access-control-request-headers") ?? ""
      const isPrivate = privateNetwork && header("access-control-request-private-network") === "true"
      return {
        ...allowed(origin),
        ...forPreflight,
        vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Private-Network",
        ...(asked === "" ? {} : { "access-control-allow-headers": asked }),
        ...(isPrivate ? { "access-control-allow-private-network": "true" } : {})
      }
    }
  }
}
