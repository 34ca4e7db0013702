/**
 * A client over HTTP: Streamable HTTP of every revision, and the older transport of
 * HTTP with Server-Sent Events where a server has no other.
 *
 * - Each message is a POST. Interrupting a call, or its timeout, aborts its POST and ends that call alone. In the legacy
 *   era the client also sends a cancellation, because there an abort does not cancel.
 * - In the legacy era the client resumes a stream that breaks before its response, behind the last event that it has read,
 *   at the time that the server names, for as long as the call waits. It always opens the stream for messages of the
 *   server again.
 * - When the server does not know the session any more, the client makes a new one.
 * - The client follows a redirect only to the same origin and with the same method, so that headers stay there.
 *
 * ```ts
 * import { McpClient, McpHttpClient } from "@parley/mcp"
 * import { Effect, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const client = McpHttpClient.layer({
 *   name: "me",
 *   version: "1.0.0",
 *   url: "https://example.org/mcp",
 *   headers: { "x-team": "search" }
 * })
 *
 * export const program = Effect.gen(function*() {
 *   const { listTools } = yield* McpClient.McpClient
 *   return yield* listTools()
 * }).pipe(Effect.provide(Layer.provide(client, FetchHttpClient.layer)))
 * ```
 *
 * @since 0.1.0
 */
import { HttpFetcher } from "@parley/http/shared/client"
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import { Disconnected } from "@parley/peer/Caller"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import type { HttpClient } from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { ClientExtension, ExtensionRequirements } from "./client/ClientExtension.ts"
import type { McpConnectError } from "./client/McpClientError.ts"
import type * as McpClientTransport from "./client/McpClientTransport.ts"
import type { McpHandlers, Requirements } from "./client/McpHandlers.ts"
import * as HttpTransport from "./internal/http/client/HttpTransport.ts"
import * as ResumableStream from "./internal/http/client/ResumableStream.ts"
import * as McpClient from "./McpClient.ts"
import type { Revision } from "./wire/Revision.ts"

/**
 * The URL of the server, and what requests carry beside MCP.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpOptions {
  /** The URL of the endpoint. A user and password in it become an `authorization` header. */
  readonly url: string | URL
  /** Headers of every request; an Effect is run for each. They go to the origin of the URL alone. */
  readonly headers?: Readonly<Record<string, string>> | Effect.Effect<Readonly<Record<string, string>>> | undefined
  /** Gets the tokens that the server wants. Its header `authorization` replaces that of `headers`. */
  readonly auth?: ClientAuthorization | undefined
  /**
   * The time before a broken stream is opened again, where the server does not name one. The schedule begins anew after
   * each stream that gave a message. `backoff` by default.
   */
  readonly reconnect?: Schedule.Schedule<unknown> | undefined
  /**
   * How many requests of the legacy era may be in flight at once, 48 by default. Further ones wait, within their timeout.
   * Keep it below the number of connections to one origin (6 in a browser): a server that asks within a call waits for an
   * answer, which needs a connection, too. `NodeHttp.makeFetcher` has other connections for answers.
   */
  readonly concurrency?: number | undefined
}

/**
 * The options of a client over HTTP.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpHttpClientOptions<
  H extends McpHandlers<unknown> = McpHandlers,
  X extends ClientExtension<unknown> = ClientExtension
> extends McpClient.ClientOptions<H, X>, HttpOptions {}

/**
 * The times between attempts: 1 second at first, half as much more each time, at most 30 seconds, each up to a fifth more
 * or less, so that the clients of a server that comes back do not all come at once.
 *
 * @category schedules
 * @since 0.1.0
 */
export const backoff: Schedule.Schedule<Duration.Duration> = ResumableStream.backoff

/**
 * A transport over a fetcher, for `McpClient.make`. Opening it sends no request. Fails with `Open` where the URL
 * cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open =
  (fetcher: HttpFetcher.HttpFetcher, options: HttpOptions): McpClientTransport.Open<Disconnected> => (host) => {
    const { auth, concurrency = 48, headers, reconnect = backoff } = options
    const own = headers === undefined || Effect.isEffect(headers) ? headers : Effect.succeed(headers)
    return Effect.flatMap(
      Effect.try({
        try: () => placeOf(new URL(options.url), own),
        // The error of the platform holds the URL, which may hold a password.
        catch: () =>
          new Disconnected({ reason: { _tag: "Open", cause: new TypeError("the URL cannot be read") }, sent: false })
      }),
      (place) => HttpTransport.open({ fetcher, auth, reconnect, concurrency, ...place }, host)
    )
  }

type Headers = Readonly<Record<string, string>>

/** Takes user and password out of a URL of ours; some clients refuse a request that has them there. */
const placeOf = (url: URL, headers: Effect.Effect<Headers> | undefined) => {
  const { password, username } = url
  if (username === "" && password === "") return { url, headers }
  const basic = Base64.encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  const authorization: Headers = { authorization: `Basic ${basic}` }
  url.username = ""
  url.password = ""
  return {
    url,
    headers: headers === undefined
      ? Effect.succeed(authorization)
      : Effect.map(headers, (own): Headers => ({ ...authorization, ...own }))
  }
}

/**
 * A client over a fetcher, such as that of `NodeHttp.makeFetcher`. The effect succeeds when the handshake is done; the
 * client and its session end with the Scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  H extends McpHandlers<unknown> = McpHandlers,
  X extends ClientExtension<unknown> = never,
  V extends Revision | "auto" = "auto"
>(
  fetcher: HttpFetcher.HttpFetcher,
  options: McpHttpClientOptions<H, X> & McpClient.RevisionOption<V>
): Effect.Effect<McpClient.ClientOf<V>, McpConnectError, Requirements<H> | ExtensionRequirements<X> | Scope.Scope> =>
  McpClient.make<Disconnected, never, H, X, V>(open(fetcher, options), options)

/**
 * The client of a program that uses one server, over the `HttpClient`. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <H extends McpHandlers<unknown> = McpHandlers, X extends ClientExtension<unknown> = never>(
  options: McpHttpClientOptions<H, X>
): Layer.Layer<
  McpClient.McpClient,
  McpConnectError,
  Exclude<Requirements<H> | ExtensionRequirements<X>, Scope.Scope> | HttpClient
> => layerOver(HttpFetcher.make(options), options)

/**
 * As `layer`, over a fetcher that is opened with it: `McpHttpClient.layerOver(NodeHttp.makeFetcher(), { url, … })`. Over
 * undici itself, a call takes a fraction of the time.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOver = <
  E,
  R2,
  H extends McpHandlers<unknown> = McpHandlers,
  X extends ClientExtension<unknown> = never
>(
  fetcher: Effect.Effect<HttpFetcher.HttpFetcher, E, R2>,
  options: McpHttpClientOptions<H, X>
): Layer.Layer<
  McpClient.McpClient,
  McpConnectError | E,
  Exclude<Requirements<H> | ExtensionRequirements<X> | R2, Scope.Scope>
> => Layer.effect(McpClient.McpClient, Effect.flatMap(fetcher, (fetcher) => make(fetcher, options)))
