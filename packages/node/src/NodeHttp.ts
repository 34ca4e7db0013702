/**
 * HTTP and HTTPS: a caller that posts over kept connections, a server for a
 * `Router`, and an endpoint server and a fetcher for other protocols over HTTP.
 *
 * It uses undici and `node:http` directly, because a request through Effect's
 * `HttpClient` and `HttpServer` takes several times as long as a call. It admits,
 * refuses and answers as `HttpRoute` and `HttpCaller` of `@parley/http` do. Use
 * those in programs that have Effect's client or server already.
 *
 * @since 0.1.0
 */
import * as HttpCaller from "@parley/http/HttpCaller"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import type { HttpFetcher } from "@parley/http/HttpFetcher"
import { Caller } from "@parley/peer/Caller"
import type { Exchange } from "@parley/peer/Exchange"
import { Router } from "@parley/peer/Router"
import * as TransportError from "@parley/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as http from "node:http"
import * as https from "node:https"
import * as httpExchange from "./internal/http/exchange.ts"
import * as httpFetcher from "./internal/http/fetcher.ts"
import * as httpServer from "./internal/http/server.ts"
import { authorityOf, listening, portOf } from "./internal/nodeServer.ts"
import { serverOptions } from "./internal/tls.ts"
import type { Tls } from "./Tls.ts"

/**
 * Where a caller posts to, and how.
 *
 * `handshake` of its limits bounds the time of opening a connection. A user and password in the URL become an
 * `authorization` header.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallerOptions extends HttpCaller.Options {
  /** The certificates of an `https` URL: those to trust, and ours. */
  readonly tls?: Tls | undefined
  /**
   * The most connections that calls hold at once, 64 by default. Further calls wait for one, within their timeout. With a
   * `router`, replies and cancellations have as many of their own, and calls made by handlers have the rest of
   * `Limits.connections`, but no fewer. A defect where it is no whole number of at least 1.
   */
  readonly connections?: number | undefined
}

/**
 * Posts texts without making calls, for a proxy. Its connections close with the Scope. Fails with `Open` when the URL or
 * the certificates cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeExchange = (
  options: CallerOptions
): Effect.Effect<Exchange, TransportError.TransportError, Scope.Scope> => httpExchange.make(options)

/**
 * The options of a fetcher. `handshake` of its limits bounds the time of opening a connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface FetcherOptions extends Pick<CallerOptions, "limits" | "tls"> {
  /**
   * The most connections at once to one origin, 64 by default. Further requests wait for one. What an exchange sends for
   * a handler, and its replies, have others, as in `CallerOptions`.
   */
  readonly connections?: number | undefined
}

/**
 * Sends requests of any kind to any origin. Its connections close with the Scope. Fails with `Open` when the certificates
 * cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeFetcher = (
  options: FetcherOptions = {}
): Effect.Effect<HttpFetcher, TransportError.TransportError, Scope.Scope> => httpFetcher.make(options)

/**
 * Calls by POST, until the Scope closes. Fails with `Open` when the URL or the certificates cannot be read. It connects
 * with the first call, which fails when nobody is there.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeCaller = (
  options: CallerOptions
): Effect.Effect<Caller, TransportError.TransportError, Scope.Scope> =>
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
  /** Port 0 picks a free port, which `Serving.port` has. */
  readonly port: number
  /** The path that is served, `/` by default. Other paths are 404. */
  readonly path?: string | undefined
  /** Key and certificate of an `https` server. */
  readonly tls?: Tls | undefined
}

/**
 * Where a server listens, and which requests it admits.
 *
 * Beside the bounds of `RequestRules`, `handshake` and `header` bound the head of a request, `writeStall` the time in
 * which a client may read nothing, and `drain` the time that running requests have when the Scope closes.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerOptions extends HttpEndpoint.JsonRpcOptions, Place {}

/**
 * Where a server listens now.
 *
 * @category models
 * @since 0.1.0
 */
export interface Serving {
  /** Its URL, of the form `http://127.0.0.1:41234/path`. */
  readonly address: string
  /** The port that it has got. */
  readonly port: number
}

/**
 * Serves the `Router` in the context until the Scope closes. Its address is of the form `http://127.0.0.1:41234/path`. Fails
 * with `Open` when the port is taken.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = (
  options: ServerOptions
): Effect.Effect<Serving, TransportError.TransportError, Router | Scope.Scope> =>
  Effect.flatMap(Router, ({ answer }) => serveWith(options, answer))

/** Answers texts. @category models @since 0.1.0 */
export type Answer = HttpEndpoint.Answer

/**
 * As `serve`, with a function that answers texts instead of a `Router`, for a proxy.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serveWith = (
  options: ServerOptions,
  answer: Answer
): Effect.Effect<Serving, TransportError.TransportError, Scope.Scope> =>
  serveEndpoint(HttpEndpoint.jsonRpcWith(answer, options), options)

/**
 * As `serve`, for any endpoint. When the Scope closes, streams end at once, and other answers have `Limits.drain` of the
 * endpoint.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serveEndpoint = Effect.fnUntraced(function*(
  endpoint: HttpEndpoint.HttpEndpoint,
  place: Place
): Effect.fn.Return<Serving, TransportError.TransportError, Scope.Scope> {
  const { connections, handshake, header, partialFrame } = endpoint.limits
  const path = place.path ?? "/"
  const host = httpServer.makeHost({ endpoint, path, context: yield* Effect.context<never>() })
  const settings = {
    noDelay: true,
    // Otherwise Node takes the first of two headers with the same name, and hides that they may contradict.
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
  // Requests and streams may be `connections` each. The rest is for idle connections, and to answer 503.
  server.maxConnections = 3 * connections
  server.on("request", (request, response) => httpServer.take(host, request, response))
  yield* listening(server, { host: place.host ?? "127.0.0.1", port: place.port })
  const address = `${tls === undefined ? "http" : "https"}://${authorityOf(server)}${path}`
  server.on("error", (cause) => {
    Effect.runForkWith(host.context)(Effect.logWarning(`A connection to ${address} could not be accepted`, cause))
  })
  return {
    address,
    port: portOf(server) ?? 0
  }
})

/** Milliseconds between two checks for requests that have not arrived in time. */
const checking = 1_000

/**
 * Serves the `Router` in the context as long as the Layer lives. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = (options: ServerOptions): Layer.Layer<never, TransportError.TransportError, Router> =>
  Layer.effectDiscard(Effect.tap(serve(options), ({ address }) => Effect.logInfo(`Listening at ${address}`)))
