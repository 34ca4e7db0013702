/**
 * One port for several routes: JSON-RPC and other endpoints over HTTP, WebSockets,
 * a path for health checks, and whatever else your program answers.
 *
 * It listens as soon as it is built, and answers 503 until its routes are there.
 * When its Scope closes it answers 503 again, while every route drains.
 *
 * ```ts run
 * import { NodeHttp, NodeWebSocket } from "@parley/node"
 * import { Caller, Router } from "@parley/peer"
 * import { Effect, Layer, Logger } from "effect"
 *
 * const routes = Layer.mergeAll(NodeHttp.layerRoute({ path: "/rpc" }), NodeWebSocket.layerRoute({ path: "/ws" }))
 * const host = NodeHttp.layerHost({ port: 0, health: "/health" }, routes).pipe(
 *   Layer.provide(Router.layer({ ping: () => Effect.succeed("pong") })),
 *   Layer.provide(Logger.layer([]))
 * )
 *
 * const ping = Effect.flatMap(Caller.Caller, (caller) => caller.request("ping"))
 * const program = Effect.gen(function*() {
 *   const { address, port } = yield* NodeHttp.NodeHost
 *   console.log(yield* Effect.provide(ping, NodeHttp.layerClient({ url: `${address}/rpc` }))) // => pong
 *   console.log(yield* Effect.provide(ping, NodeWebSocket.layerClient({ port, path: "/ws" }))) // => pong
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(host)))
 * ```
 *
 * @since 0.1.0
 */
import * as Limits from "@parley/protocol/Limits"
import type { TransportError } from "@parley/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as http from "node:http"
import * as Port from "./http/Port.ts"
import { rest } from "./http/rest.ts"
import type { Tls } from "./TlsOptions.ts"

/**
 * Where the host listens, and what it does beside its routes.
 *
 * @category models
 * @since 0.1.0
 */
export interface HostOptions<R = never> {
  /** A name or an address. The default is `127.0.0.1`: only this machine. */
  readonly host?: string | undefined
  /** Port 0 picks a free port, which the host has as its `port`. */
  readonly port: number
  /** Key and certificate of `https` and `wss`. */
  readonly tls?: Tls | undefined
  /**
   * `handshake` and `header` bound the head of a request, `partialFrame` its body, and `drain` the time that requests
   * of the fallback have. Routes have limits of their own.
   */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** A path that answers 200 while the host is open, and 503 before and after. None by default. */
  readonly health?: string | undefined
  /**
   * Answers the requests to other paths, which are 404 by default: an app of Effect's HTTP, or a listener of Node.js.
   * It sees to its own access.
   */
  readonly fallback?: Fallback<R> | undefined
}

/**
 * The answer to requests for paths without a route.
 *
 * @category models
 * @since 0.1.0
 */
export type Fallback<R = never> = Effect.Effect<HttpServerResponse, unknown, R> | http.RequestListener

/**
 * Where the host listens. Routes attach to it.
 *
 * @category services
 * @since 0.1.0
 */
export interface NodeHost {
  /** Its URL, of the form `http://127.0.0.1:41234`. */
  readonly address: string
  /** The port that it has got. */
  readonly port: number
  /** @internal */
  readonly server: Port.Port
}

/** The service of a `NodeHost`. @category services @since 0.1.0 */
export const NodeHost: Context.Service<NodeHost, NodeHost> = Context.Service("@parley/node/NodeHost")

/**
 * A host with these routes: `NodeHttp.layerRoute`, `NodeWebSocket.layerRoute`, or several as `Layer.mergeAll`. Fails
 * with `Open` when the port is taken. A new Layer at each call.
 *
 * When the Layer ends, each route has `Limits.drain` for what runs. Meanwhile new requests and WebSockets are answered
 * 503, and so is `health`; without `health` nothing listens any more.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerHost = <A, E, R, R2 = never>(
  options: HostOptions<R2>,
  routes: Layer.Layer<A, E, R>
): Layer.Layer<
  NodeHost | A,
  E | TransportError,
  Exclude<R, NodeHost> | Exclude<R2, HttpServerRequest | Scope.Scope>
> => {
  const listening = Effect.gen(function*() {
    const limits = Limits.make(options.limits)
    const server = yield* Port.make({ ...options, limits })
    if (options.fallback !== undefined) yield* rest(server, options.fallback, limits)
    return NodeHost.of({ address: server.address("http"), port: server.number, server })
  })
  const opened = Layer.effectDiscard(Effect.flatMap(NodeHost, ({ server }) => Port.open(server)))
  return opened.pipe(Layer.provideMerge(routes), Layer.provideMerge(Layer.effect(NodeHost, listening)))
}
