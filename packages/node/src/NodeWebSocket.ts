/**
 * WebSockets as a client and as a listener, over the `ws` package.
 *
 * The listener is an HTTP server that only upgrades, or a route of a `NodeHost`. It
 * rejects a wrong path (404), a non-upgrade (426), a `Host` or `Origin` that is not
 * allowed (403), unknown subprotocols (400), connections over the limit (503), and
 * whom `authorize` refuses (401 or 403). The log says why. Messages are
 * not compressed, because a bound on the decompressed size would come too late.
 *
 * ```ts run
 * import { NodeWebSocket } from "@parley/node"
 * import { Caller, Router } from "@parley/peer"
 * import { Listener } from "@parley/transport"
 * import { Effect, Layer, Logger } from "effect"
 *
 * const server = NodeWebSocket.layerServer({ port: 0, path: "/rpc" }).pipe(
 *   Layer.provide(Router.layer({ ping: () => Effect.succeed("pong") })),
 *   Layer.provide(Logger.layer([]))
 * )
 *
 * const ping = Effect.flatMap(Caller.Caller, (caller) => caller.request("ping"))
 * const program = Effect.gen(function*() {
 *   const { address } = yield* Listener.Listener
 *   console.log(yield* Effect.provide(ping, NodeWebSocket.layerClient({ url: address }))) // => pong
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(server)))
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type * as Peer from "@parley/peer/Peer"
import type { DuplexRouter } from "@parley/peer/Router"
import { Listener } from "@parley/transport/Listener"
import { Transport, type TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as layers from "./internal/layers.ts"
import { NodeHost } from "./internal/NodeHost.ts"
import type * as options_ from "./internal/webSocketOptions.ts"
import * as webSockets from "./internal/webSockets.ts"

export type { Tls } from "./internal/TlsOptions.ts"

/**
 * Where to connect to: a URL, or its parts. With `tls` the parts make a `wss:` URL.
 *
 * @category models
 * @since 0.1.0
 */
export type WebSocketPlace =
  | {
    /** As in `wss://example.org/rpc`. */
    readonly url: string
  }
  | {
    readonly url?: undefined
    /** The default is `127.0.0.1`: this machine. */
    readonly host?: string | undefined
    /** The port of the server. */
    readonly port: number
    /** The default is `/`. */
    readonly path?: string | undefined
  }

/**
 * Where to connect to, with which headers, subprotocols, certificates and bounds.
 *
 * @category models
 * @since 0.1.0
 */
export type WebSocketTransportOptions = WebSocketPlace & options_.ClientOptions

/**
 * Connects, and closes with the Scope. Fails with `Open` when nobody answers, the server refuses, or its certificate is
 * not trusted.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport = (
  options: WebSocketTransportOptions
): Effect.Effect<Transport, TransportError, Scope.Scope> => webSockets.connect(urlOf(options), options)

/**
 * A connection that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (options: WebSocketTransportOptions): Layer.Layer<Transport, TransportError> =>
  Layer.effect(Transport, makeTransport(options))

/**
 * The options of a peer: where it connects to, and the methods that it serves in return.
 *
 * @category models
 * @since 0.1.0
 */
export type WebSocketClientOptions = WebSocketTransportOptions & layers.PeerOptions

/**
 * The peer of a program that has one connection, which lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (options: WebSocketClientOptions): Layer.Layer<Peer.PeerService | Caller, TransportError> =>
  layers.peer(layerTransport(options), options)

/**
 * Where to listen, and which clients may connect.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebSocketListenerOptions extends options_.ListenerOptions {}

/**
 * Listens until the Scope closes. Its address is of the form `ws://127.0.0.1:41234/path`, with TLS `wss://…`. Fails
 * with `Open` when the port is taken, or with a certificate that is missing or cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = (
  options: WebSocketListenerOptions
): Effect.Effect<Listener, TransportError, Scope.Scope> => webSockets.listen(options)

/**
 * A listener that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options: WebSocketListenerOptions): Layer.Layer<Listener, TransportError> =>
  Layer.effect(Listener, makeListener(options))

/**
 * The options of a server: where it listens, and those of each of its peers.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebSocketServerOptions<R = never> extends WebSocketListenerOptions, layers.ServerOptions<R> {}

/**
 * Serves the `Router` as long as the Layer lives. Its `Listener` says where. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = <R = never>(
  options: WebSocketServerOptions<R>
): Layer.Layer<Listener, TransportError, DuplexRouter | Exclude<R, Scope.Scope>> =>
  layers.server(layerListener(options), options)

/**
 * Where a route is, and which clients may connect.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebSocketRouteOptions extends options_.RouteOptions {}

/**
 * Listens at a path of the `NodeHost` in the context, until the Scope closes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeRoute = (options: WebSocketRouteOptions): Effect.Effect<Listener, never, NodeHost | Scope.Scope> =>
  Effect.flatMap(NodeHost, ({ server }) => webSockets.serve(server, options))

/**
 * The options of a server at a route: which clients may connect, and those of each of its peers.
 *
 * @category models
 * @since 0.1.0
 */
export interface WebSocketServerRouteOptions<R = never> extends WebSocketRouteOptions, layers.ServerOptions<R> {}

/**
 * Serves the `Router` at a path of a `NodeHost`, for `NodeHttp.layerHost`. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerRoute = <R = never>(
  options: WebSocketServerRouteOptions<R>
): Layer.Layer<Listener, never, NodeHost | DuplexRouter | Exclude<R, Scope.Scope>> =>
  layers.server(Layer.effect(Listener, makeRoute(options)), options)

const urlOf = (options: WebSocketTransportOptions): string => {
  if (options.url !== undefined) return options.url
  const { host = "127.0.0.1", path = "/", port, tls } = options
  return `${tls === undefined ? "ws" : "wss"}://${host.includes(":") ? `[${host}]` : host}:${port}${path}`
}
