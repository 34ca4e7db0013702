/**
 * HTTP and HTTPS: a caller that posts over kept connections, a server for a
 * `Router`, and an endpoint server and a fetcher for other protocols over HTTP. An
 * endpoint also runs inside a server that the program already has.
 *
 * It uses undici and `node:http` directly, because a request through Effect's
 * `HttpClient` and `HttpServer` takes several times as long as a call. It admits,
 * refuses and answers as `HttpRoute` and `HttpCaller` of `@parley/http` do. Use
 * those in programs that have Effect's client or server already.
 *
 * ```ts run
 * import { NodeHttp } from "@parley/node"
 * import { Router } from "@parley/peer"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { address } = yield* NodeHttp.serveRouter({ port: 0, path: "/rpc" })
 *   const caller = yield* NodeHttp.makeCaller({ url: address })
 *   console.log(yield* caller.request("ping")) // => pong
 * })
 *
 * const router = Router.layer({ ping: () => Effect.succeed("pong") })
 * await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(router)))
 * ```
 *
 * @since 0.1.0
 */
import type * as HttpCaller from "@parley/http/HttpCaller"
import * as HttpEndpoint from "@parley/http/HttpEndpoint"
import type { HttpFetcher } from "@parley/http/shared/client"
import { Caller } from "@parley/peer/Caller"
import { Router } from "@parley/peer/Router"
import { Exchange } from "@parley/peer/shared"
import { Excerpt } from "@parley/protocol/shared"
import * as Transport from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as fetcher from "./internal/http/fetcher.ts"
import * as listener from "./internal/http/listener.ts"
import type { RequestListener } from "./internal/http/listener.ts"
import * as Port from "./internal/http/Port.ts"
import * as httpServer from "./internal/http/server.ts"
import { NodeHost } from "./internal/NodeHost.ts"
import type { Tls } from "./internal/TlsOptions.ts"
import * as NodeExchange from "./shared/NodeExchange.ts"

export type { RequestListener } from "./internal/http/listener.ts"

export type { Tls } from "./internal/TlsOptions.ts"

export { type Fallback, type HostOptions, layerHost, NodeHost } from "./internal/NodeHost.ts"

/**
 * Where a caller posts to, and how.
 *
 * `handshake` of its limits bounds the time of opening a connection. A user and password in the URL become an
 * `authorization` header.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpClientOptions extends HttpCaller.HttpCallerOptions {
  /** The certificates of an `https` URL: those to trust, and ours. */
  readonly tls?: Tls | undefined
  /**
   * The most connections that calls hold at once, 64 by default. Further calls wait for one, within their timeout. With
   * a `router`, replies and cancellations have as many of their own, and calls made by handlers have the rest of
   * `Limits.connections`, but no fewer. A defect where it is no whole number of at least 1.
   */
  readonly connections?: number | undefined
}

/**
 * The options of a fetcher. `handshake` of its limits bounds the time of opening a connection.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpFetcherOptions extends Pick<HttpClientOptions, "limits" | "tls"> {
  /**
   * The most connections at once to one origin, 64 by default. Further requests wait for one. The calls of handlers and
   * the replies of an exchange have others, as in `HttpClientOptions`.
   */
  readonly connections?: number | undefined
}

/**
 * Sends requests of any kind to any origin. Its connections close with the Scope. Fails with `Open` when the
 * certificates cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeFetcher = (
  options: HttpFetcherOptions = {}
): Effect.Effect<HttpFetcher.HttpFetcher, Transport.TransportError, Scope.Scope> => fetcher.make(options)

/**
 * Calls by POST, until the Scope closes. Fails with `Open` when the URL or the certificates cannot be read. It connects
 * with the first call, which fails when nobody is there.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeCaller = (
  options: HttpClientOptions
): Effect.Effect<Caller, Transport.TransportError, Scope.Scope> =>
  Effect.flatMap(NodeExchange.make(options), (exchange) => Exchange.makeCaller(exchange, options))

/**
 * The caller of a program that calls one server. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (options: HttpClientOptions): Layer.Layer<Caller, Transport.TransportError> =>
  Layer.effect(Caller, makeCaller(options))

/**
 * Where a server listens.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpPlace {
  /** A name or an address. The default is `127.0.0.1`: only this machine. */
  readonly host?: string | undefined
  /** Port 0 picks a free port, which `HttpServing.port` has. */
  readonly port: number
  /** The path that is served, `/` by default. Other paths are 404. */
  readonly path?: string | undefined
  /** Whether the paths below it are served, too. False by default. */
  readonly isPrefix?: boolean | undefined
  /** Key and certificate of an `https` server. */
  readonly tls?: Tls | undefined
}

/**
 * Where a server listens, and which requests it admits.
 *
 * Beside the bounds of a gate, `handshake` and `header` bound the head of a request, `writeStall` the time in
 * which a client may read nothing, and `drain` the time that running requests have when the Scope closes.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpServerOptions extends HttpEndpoint.JsonRpcEndpointOptions, HttpPlace {}

/**
 * Where a server listens now.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpServing {
  /** Its URL, of the form `http://127.0.0.1:41234/path`. */
  readonly address: string
  /** The port that it has got. */
  readonly port: number
}

/**
 * Serves the `Router` in the context until the Scope closes. Its address is of the form `http://127.0.0.1:41234/path`.
 * Fails with `Open` when the port is taken.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serveRouter = (
  options: HttpServerOptions
): Effect.Effect<HttpServing, Transport.TransportError, Router | Scope.Scope> =>
  Effect.flatMap(Router, ({ answer }) => serve(HttpEndpoint.jsonRpcWith(answer, options), options))

/**
 * Serves an endpoint until the Scope closes: any protocol over HTTP. Then streams end at once, and other answers have
 * `Limits.drain` of the endpoint.
 *
 * @category constructors
 * @since 0.1.0
 */
export const serve = Effect.fnUntraced(function*(
  endpoint: HttpEndpoint.HttpEndpoint,
  place: HttpPlace
): Effect.fn.Return<HttpServing, Transport.TransportError, Scope.Scope> {
  const path = place.path ?? "/"
  const port = yield* Port.make({ ...place, limits: endpoint.limits })
  yield* serveAll(port, path, endpoint, place.isPrefix)
  yield* Port.open(port)
  return { address: port.address("http", path), port: port.number }
})

/**
 * A listener for a server of your own: `node:http`, Express, Fastify, Koa and others over HTTP/1.1. The endpoint keeps its
 * rules there. When the Scope closes, streams end at once, other answers have `Limits.drain` of the endpoint, and from then
 * on requests are refused.
 *
 * The host bounds its connections, the size of heads (`maxHeaderSize`), and the time in which a head and a body must arrive
 * (`headersTimeout`, `requestTimeout`): `header`, `handshake` and `partialFrame` of the limits do not bound those here.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeRequestListener = (
  endpoint: HttpEndpoint.HttpEndpoint
): Effect.Effect<RequestListener, never, Scope.Scope> => listener.make(endpoint)

/**
 * Serves the `Router` in the context as long as the Layer lives. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = (options: HttpServerOptions): Layer.Layer<never, Transport.TransportError, Router> =>
  Layer.effectDiscard(logged(serveRouter(options)))

/**
 * Where a route is, and which requests it admits.
 *
 * @category models
 * @since 0.1.0
 */
export interface HttpRouteOptions extends HttpEndpoint.JsonRpcEndpointOptions, Pick<HttpPlace, "path"> {}

/**
 * Serves any endpoint at a path of the `NodeHost` in the context, until the Scope closes, as `serve` does.
 *
 * @category constructors
 * @since 0.1.0
 */
export const route = Effect.fnUntraced(function*(
  endpoint: HttpEndpoint.HttpEndpoint,
  { path = "/" }: Pick<HttpPlace, "path">
): Effect.fn.Return<HttpServing, never, NodeHost | Scope.Scope> {
  const { port, server } = yield* NodeHost
  yield* serveAll(server, path, endpoint)
  return { address: server.address("http", path), port }
})

/**
 * Serves the `Router` at a path of the `NodeHost`, for `NodeHttp.layerHost`. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerRoute = (options: HttpRouteOptions): Layer.Layer<never, never, NodeHost | Router> =>
  Layer.effectDiscard(
    logged(Effect.flatMap(Router, ({ answer }) => route(HttpEndpoint.jsonRpcWith(answer, options), options)))
  )

/** Serves an endpoint at a path, and its `wellKnown` endpoints at their own paths. */
const serveAll = (port: Port.Port, path: string, endpoint: HttpEndpoint.HttpEndpoint, isPrefix?: boolean) =>
  Effect.andThen(
    httpServer.serve(port, path, endpoint, isPrefix),
    Effect.forEach(endpoint.wellKnown ?? [], ([path, endpoint]) => httpServer.serve(port, path, endpoint), {
      discard: true
    })
  )

const logged = <E, R>(serving: Effect.Effect<HttpServing, E, R>): Effect.Effect<HttpServing, E, R> =>
  Effect.tap(serving, ({ address }) => Effect.logInfo(`Listening at ${Excerpt.line(address)}`))
