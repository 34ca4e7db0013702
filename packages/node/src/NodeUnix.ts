/**
 * Unix sockets as a client and as a listener.
 *
 * The file of a listener appears and disappears with it. A file that a dead server
 * has left behind is removed, if it is a socket and nobody listens on it.
 *
 * ```ts run
 * import { NodeUnix } from "@parley/node"
 * import { Caller, Router } from "@parley/peer"
 * import { Effect, Layer, Logger } from "effect"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const path = join(tmpdir(), `example-${process.pid}.sock`)
 * const server = NodeUnix.layerServer({ path }).pipe(
 *   Layer.provide(Router.layer({ ping: () => Effect.succeed("pong") })),
 *   Layer.provide(Logger.layer([]))
 * )
 *
 * const ping = Effect.flatMap(Caller.Caller, (caller) => caller.request("ping"))
 * const program = Effect.map(Effect.provide(ping, NodeUnix.layerClient({ path })), console.log) // => pong
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
import { lstatSync, unlinkSync } from "node:fs"
import * as net from "node:net"
import * as layers from "./internal/layers.ts"
import * as sockets from "./internal/sockets.ts"

/**
 * The address of the socket, the framing and the bounds.
 *
 * @category models
 * @since 0.1.0
 */
export interface UnixOptions {
  /** The path of the socket's file. Systems bound it to about a hundred bytes. */
  readonly path: string
  /** How the texts are separated. The default is that of the dialect of the peer, and `line` without a peer. */
  readonly framing?: Framing | undefined
  /** `handshake` bounds the time of connecting, `connections` the connections of a listener. */
  readonly limits?: Partial<Limits> | undefined
}

/**
 * Connects, and closes with the Scope. Fails with `Open` when nobody listens.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport = (
  options: UnixOptions
): Effect.Effect<Transport, TransportError, Scope.Scope> => sockets.connect({ path: options.path }, options)

/**
 * A connection that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (options: UnixOptions): Layer.Layer<Transport, TransportError> =>
  Layer.effect(Transport, makeTransport(options))

/**
 * The options of a peer: where it connects to, and the methods that it serves in return. The framing is that of the
 * `dialect`.
 *
 * @category models
 * @since 0.1.0
 */
export interface UnixClientOptions extends Omit<UnixOptions, "framing">, layers.PeerOptions {}

/**
 * The peer of a program that has one connection, which lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerClient = (
  options: UnixClientOptions
): Layer.Layer<Peer.PeerService | Caller, TransportError> => layers.peer(layerTransport(options), options)

/**
 * Listens until the Scope closes. Its address is of the form `unix:/path`. Fails with `Open` when somebody listens
 * there already, or the path is another kind of file.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = (options: UnixOptions): Effect.Effect<Listener, TransportError, Scope.Scope> => {
  const listen = sockets.listen({ path: options.path }, options, () => `unix:${options.path}`)
  return Effect.catch(
    listen,
    (error) => Effect.flatMap(removeStale(options.path), (removed) => removed ? listen : Effect.fail(error))
  )
}

/**
 * A listener that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options: UnixOptions): Layer.Layer<Listener, TransportError> =>
  Layer.effect(Listener, makeListener(options))

/**
 * The options of a server: where it listens, and those of each of its peers.
 *
 * @category models
 * @since 0.1.0
 */
export interface UnixServerOptions<R = never> extends Omit<UnixOptions, "framing">, layers.ServerOptions<R> {}

/**
 * Serves the `Router` as long as the Layer lives. Its `Listener` says where. The framing is that of the `dialect`. A new
 * Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServer = <R = never>(
  options: UnixServerOptions<R>
): Layer.Layer<Listener, TransportError, DuplexRouter | Exclude<R, Scope.Scope>> =>
  layers.server(layerListener(options), options)

/** Removes a socket that nobody listens on. Gives whether it did. */
const removeStale = (path: string): Effect.Effect<boolean> =>
  Effect.try(() => lstatSync(path).isSocket()).pipe(
    Effect.flatMap((isSocket) => isSocket ? refuses(path) : Effect.succeed(false)),
    Effect.tap((stale) => stale ? Effect.try(() => unlinkSync(path)) : Effect.void),
    Effect.orElseSucceed(() => false)
  )

const refuses = (path: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const probe = net.connect({ path })
    probe.on("connect", () => {
      probe.destroy()
      resume(Effect.succeed(false))
    })
    probe.on("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code === "ECONNREFUSED")))
    return Effect.sync(() => probe.destroy())
  })
