/**
 * TCP as a client and as a listener, with TLS on request.
 *
 * Nagle's algorithm is off. Connections are half open: after the other side has
 * ended its input it still gets its answers. A listener switches TCP keep-alive on,
 * so that the connection of a client that has vanished is lost after a while.
 *
 * ```ts run
 * import { NodeTcp } from "@parley/node"
 * import { Caller, Router } from "@parley/peer"
 * import { Listener } from "@parley/transport"
 * import { Effect, Layer, Logger } from "effect"
 *
 * const server = NodeTcp.layerServer({ port: 0 }).pipe(
 *   Layer.provide(Router.layer({ ping: () => Effect.succeed("pong") })),
 *   Layer.provide(Logger.layer([]))
 * )
 *
 * const ping = Effect.flatMap(Caller.Caller, (caller) => caller.request("ping"))
 * const program = Effect.gen(function*() {
 *   const { port = 0 } = yield* Listener.Listener
 *   console.log(yield* Effect.provide(ping, NodeTcp.layerClient({ port }))) // => pong
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
import type { Framing } from "@parley/protocol/Framing"
import type { Limits } from "@parley/protocol/Limits"
import { Listener } from "@parley/transport/Listener"
import { Transport, type TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as layers from "./internal/layers.ts"
import { authorityOf } from "./internal/nodeServer.ts"
import * as sockets from "./internal/sockets.ts"
import type { Tls } from "./internal/TlsOptions.ts"

export type { Tls } from "./internal/TlsOptions.ts"

/**
 * The address of the socket, the framing and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface TcpOptions {
  /** A name or an address. The default is `127.0.0.1`: only this machine. */
  readonly host?: string | undefined
  /** A listener on port 0 gets a free port, which it has as its `port`. */
  readonly port: number
  /** How the texts are separated. The default is that of the dialect of the peer, and `line` without a peer. */
  readonly framing?: Framing | undefined
  /** Encrypts the connection. The default is plain TCP. */
  readonly tls?: Tls | undefined
  /** `handshake` bounds the time of connecting, `connections` the connections of a listener. */
  readonly limits?: Partial<Limits> | undefined
  /**
   * How many connections of a listener may come from one address. Without it one address may have all of them, because
   * behind a balancer of TCP all clients have one.
   */
  readonly connectionsPerAddress?: number | undefined
}

const placeOf = ({ host = "127.0.0.1", port }: TcpOptions) => ({ host, port, noDelay: true })

/**
 * Connects, and closes with the Scope. Fails with `Open` when nobody answers, or the certificate is not trusted.
 *
 * A server that does not trust our certificate closes the connection after the handshake (TLS 1.3). Then `receive`
 * fails with `EndOfInput` or `Lost`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport = (
  options: TcpOptions
): Effect.Effect<Transport, TransportError, Scope.Scope> => sockets.connect(placeOf(options), options)

/**
 * A connection that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (options: TcpOptions): Layer.Layer<Transport, TransportError> =>
  Layer.effect(Transport, makeTransport(options))

/**
 * The options of a peer: where it connects to, and the methods that it serves in return. The framing is that of the
 * `dialect`.
 *
 * @category models
 * @since 0.1.0
 */
export interface TcpClientOptions extends Omit<TcpOptions, "framing">, layers.PeerOptions {}

/**
 * The peer of a program that has one connection, which lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (
  options: TcpClientOptions
): Layer.Layer<Peer.PeerService | Caller, TransportError> => layers.peer(layerTransport(options), options)

/**
 * Listens until the Scope closes. Its address is of the form `tcp://127.0.0.1:41234`, with TLS `tls://…`. Fails with
 * `Open` when the port is taken, or a certificate is missing or cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = (
  options: TcpOptions
): Effect.Effect<Listener, TransportError, Scope.Scope> =>
  sockets.listen(
    placeOf(options),
    options,
    (server) => `${options.tls === undefined ? "tcp" : "tls"}://${authorityOf(server)}`
  )

/**
 * A listener that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options: TcpOptions): Layer.Layer<Listener, TransportError> =>
  Layer.effect(Listener, makeListener(options))

/**
 * The options of a server: where it listens, and those of each of its peers.
 *
 * @category models
 * @since 0.1.0
 */
export interface TcpServerOptions<R = never> extends Omit<TcpOptions, "framing">, layers.ServerOptions<R> {}

/**
 * Serves the `Router` as long as the Layer lives. Its `Listener` says where. The framing is that of the `dialect`. A new
 * Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = <R = never>(
  options: TcpServerOptions<R>
): Layer.Layer<Listener, TransportError, DuplexRouter | Exclude<R, Scope.Scope>> =>
  layers.server(layerListener(options), options)
