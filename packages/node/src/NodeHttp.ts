/**
 * HTTP and HTTPS: a caller that posts over kept connections, a server for a
 * `Router`, and what is below both for protocols other than plain JSON-RPC.
 *
 * Both stand on undici and `node:http` themselves, because Effect's `HttpClient`
 * and `HttpServer` take several times as long for a request as a call takes. What
 * is taken, refused and answered is the same as in `HttpRoute` and `HttpCaller` of
 * `@parley/http`, which go where those are in use.
 *
 * @since 0.1.0
 */
import * as HttpCaller from "@parley/http/HttpCaller"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import type { HttpFetcher } from "@parley/http/HttpFetcher"
import * as PostRules from "@parley/http/PostRules"
import { Caller } from "@parley/peer/Caller"
import type { Exchange } from "@parley/peer/Exchange"
import { Router } from "@parley/peer/Router"
import * as TransportError from "@parley/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as http from "node:http"
import * as https from "node:https"
import { listening } from "./internal/accepting.ts"
import * as httpExchange from "./internal/httpExchange.ts"
import * as httpFetcher from "./internal/httpFetcher.ts"
import * as httpServer from "./internal/httpServer.ts"
import { serverOptions } from "./internal/tls.ts"
import type { Tls } from "./Tls.ts"

/**
 * Where a caller posts to, and how.
 *
 * `handshake` of its limits bounds how long opening a connection may take. A user and password in the URL become an
 * `authorization` header.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallerOptions extends HttpCaller.Options {
  /** What an `https` URL trusts, and shows of itself. */
  readonly tls?: Tls | undefined
  /** How many may be open at once, 64 by default. A call beyond waits for one, within its time. */
  readonly connections?: number | undefined
}

/**
 * What posts texts, without calls: for a proxy. Its connections close with the Scope. Fails with `Open` where the URL or
 * the certificates cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeExchange = (
  options: CallerOptions
): Effect.Effect<Exchange, TransportError.TransportError, Scope.Scope> => httpExchange.make(options)

/**
 * What a fetcher may be given. `handshake` of its limits bounds how long opening a connection may take.
 *
 * @category models
 * @since 0.1.0
 */
export interface FetcherOptions extends Pick<CallerOptions, "limits" | "tls"> {
  /** How many may be open at once to one origin, 64 by default. A request beyond waits for one. */
  readonly connections?: number | undefined
}

/**
 * What sends requests of any kind to any origin. Its connections close with the Scope. Fails with `Open` where the
 * certificates cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeFetcher = (
  options: FetcherOptions = {}
): Effect.Effect<HttpFetcher, TransportError.TransportError, Scope.Scope> => httpFetcher.make(options)

/**
 * Calls by POST, until the Scope closes. Fails with `Open` where the URL or the certificates cannot be read; whether
 * somebody is there shows with the first call.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeCaller = (
  options: CallerOptions
): Effect.Effect<Caller["Service"], TransportError.TransportError, Scope.Scope> =>
  Effect.flatMap(makeExchange(options), (exchange) => HttpCaller.fromExchange(exchange, options))

/**
 * The caller of a program that calls one server. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerCaller = (options: CallerOptions): Layer.Layer<Caller, TransportError.TransportError> =>
  Layer.effect(Caller, makeCaller(options))

/**
 * Where a server listens.
 *
 * @category models
 * @since 0.1.0
 */
export interface Place {
  /** A name or an address. The default is `127.0.0.1`: only this machine. */
  readonly host?: string | undefined
  /** 0 picks a free one, which the `address` tells. */
  readonly port: number
  /** The one path that is served. `/` by default. */
  readonly path?: string | undefined
  /** Key and certificate of an `https` server. */
  readonly tls?: Tls | undefined
}

/**
 * Where a server listens, and what it takes.
 *
 * Beside the bounds of `PostRules`, `handshake` and `header` bound the head of a request, `writeStall` how long a client
 * may not read, and `drain` how long what runs may take when the Scope closes.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerOptions extends PostRules.Options, Place {}

/**
 * Serves the `Router` from here until the Scope closes. Its address is of the form `http://127.0.0.1:41234/path`. Fails
 * with `Open` when the port is taken.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = (
  options: ServerOptions
): Effect.Effect<{ readonly address: string }, TransportError.TransportError, Router | Scope.Scope> =>
  Effect.flatMap(Router, ({ answer }) => serveWith(options, answer))

/** What answers texts. @category models @since 0.1.0 */
export type Answer = HttpEndpoint.Answer

/**
 * As `serve`, for what answers texts without a `Router`, such as a proxy.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serveWith = (
  options: ServerOptions,
  answer: Answer
): Effect.Effect<{ readonly address: string }, TransportError.TransportError, Scope.Scope> =>
  serveEndpoint(HttpEndpoint.jsonRpc(answer, PostRules.make(options)), options)

/**
 * As `serve`, for any endpoint. Answers that stay end when the Scope closes; the others have `Limits.drain` of the
 * endpoint.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serveEndpoint = Effect.fnUntraced(function*(
  endpoint: HttpEndpoint.HttpEndpoint,
  place: Place
): Effect.fn.Return<{ readonly address: string }, TransportError.TransportError, Scope.Scope> {
  const { connections, handshake, header, partialFrame } = endpoint.limits
  const path = place.path ?? "/"
  const host = httpServer.makeHost({ endpoint, path, context: yield* Effect.context<never>() })
  const settings = {
    noDelay: true,
    // A header that came twice says nothing clear; the first alone would be taken.
    joinDuplicateHeaders: true,
    maxHeaderSize: header,
    headersTimeout: Math.min(handshake, partialFrame),
    requestTimeout: partialFrame,
    connectionsCheckingInterval: Math.min(checking, partialFrame)
  }
  const tls = place.tls === undefined ? undefined : yield* serverOptions(place.tls)
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      tls === undefined
        ? http.createServer(settings)
        : https.createServer({ ...settings, ...tls, handshakeTimeout: handshake })
    ),
    (server) => httpServer.close(server, host)
  )
  // Requests and streams have as many each, and connections wait between requests; so many can hear that it is too much.
  server.maxConnections = 3 * connections
  server.on("request", (request, response) => httpServer.take(host, request, response))
  yield* listening(server, { host: place.host ?? "127.0.0.1", port: place.port })
  server.on("error", (cause) => {
    Effect.runForkWith(host.context)(Effect.logWarning("A connection could not be accepted", cause))
  })
  return { address: addressOf(server, tls === undefined ? "http" : "https") + path }
})

/** Milliseconds between two looks at what has not come in time. */
const checking = 1_000

/**
 * Serves the `Router` from here as long as the Layer lives. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = (options: ServerOptions): Layer.Layer<never, TransportError.TransportError, Router> =>
  Layer.effectDiscard(Effect.tap(serve(options), ({ address }) => Effect.logInfo(`Listening at ${address}`)))

const addressOf = (server: http.Server, scheme: string): string => {
  const address = server.address()
  if (address === null || typeof address === "string") return `${scheme}:`
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address
  return `${scheme}://${host}:${address.port}`
}
