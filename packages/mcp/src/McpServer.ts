/**
 * A server: it offers its features to any number of connections, of all revisions at once.
 *
 * The definition is made once, and each list is encoded once per revision, on the first request. A connection holds only
 * the state of its own client; no client can reach the state of another.
 *
 * ```ts
 * import { McpResource, McpServer, McpTool } from "@parley/mcp"
 * import { NodeStdio } from "@parley/node"
 * import { Effect, Layer } from "effect"
 *
 * const server = McpServer.layer({
 *   name: "clock",
 *   version: "1.0.0",
 *   instructions: "Ask for the time before you make an appointment.",
 *   features: [
 *     McpTool.make("now", { description: "The time." }, () => Effect.sync(() => new Date().toISOString())),
 *     McpResource.make("clock://zone", { name: "Time zone" }, () => Effect.succeed("UTC"))
 *   ]
 * })
 *
 * // The program that a host starts: it serves over stdin and stdout until stdin ends.
 * export const main = McpServer.serve.pipe(Effect.provide(Layer.merge(server, NodeStdio.layerTransport())))
 * ```
 *
 * @since 0.1.0
 */
import type { DisconnectReason } from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import * as Limits from "@parley/protocol/Limits"
import * as Handshake from "@parley/transport/Handshake"
import { Listener } from "@parley/transport/Listener"
import { Budget } from "@parley/transport/shared"
import { Transport, type TransportError } from "@parley/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Service from "./internal/server/definition/service.ts"
import type { CallerInfo } from "./McpContext.ts"
import type { Feature } from "./server/Feature.ts"
import { McpServer, type Requirements, type ServeOptions, type ServerOptions } from "./server/ServerDefinition.ts"
import type { ExtensionRequirements, ServerExtension } from "./server/ServerExtension.ts"
import * as Network from "./wire/Network.ts"

export type { FeatureSource, MountOptions } from "./server/FeatureSource.ts"
export {
  type AnyFeature,
  type Feature,
  McpServer,
  type Requirements,
  type ServeOptions,
  type ServerOptions,
  type Visible
} from "./server/ServerDefinition.ts"

/**
 * A server. The services that its handlers require are taken from the context of this effect.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  F extends Feature<unknown> = never,
  R2 = never,
  R3 = never,
  X extends ServerExtension<unknown> = never
>(
  options: ServerOptions<F, R2, R3, X>
): Effect.Effect<McpServer, never, Requirements<F> | R2 | R3 | ExtensionRequirements<X>> => Service.make(options)

/**
 * A server. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <
  F extends Feature<unknown> = never,
  R2 = never,
  R3 = never,
  X extends ServerExtension<unknown> = never
>(
  options: ServerOptions<F, R2, R3, X>
): Layer.Layer<McpServer, never, Exclude<Requirements<F> | R2 | R3 | ExtensionRequirements<X>, Scope.Scope>> =>
  Layer.effect(McpServer, Service.makeScoped(options))

/**
 * Serves one connection, the `Transport`, and gives the reason for which it ended. When the input ends, calls that run
 * have half a second to answer.
 *
 * @category running
 * @since 0.1.0
 */
export const serveWith = (
  options: ServeOptions
): Effect.Effect<DisconnectReason, never, McpServer | Transport> =>
  Effect.gen(function*() {
    const known = yield* ofHandshake
    const { caller = known } = options
    return yield* run(yield* McpServer, yield* Transport, {
      ...options,
      // Without a handshake, the client at the other end of the only connection has started the server.
      caller: typeof caller === "function" || known !== undefined ? caller : { scopes: "all", ...caller }
    })
  })

/** `serveWith` the defaults, over stdio as spans and metrics say. @category running @since 0.1.0 */
export const serve: Effect.Effect<DisconnectReason, never, McpServer | Transport> = serveWith({
  network: Network.stdio
})

/**
 * Serves every connection of the `Listener`, until it fails or the effect is interrupted, which ends the connections in
 * order.
 *
 * @category running
 * @since 0.1.0
 */
export const listenWith = (
  options: ServeOptions
): Effect.Effect<never, TransportError, McpServer | Listener> =>
  Effect.gen(function*() {
    const server = yield* McpServer
    const listener = yield* Listener
    const budget = Budget.make(Limits.make(options.limits).budget)
    return yield* Effect.provideService(
      listener.run((transport) => run(server, transport, options)),
      Budget.Budget,
      budget
    )
  })

/** `listenWith` the defaults. @category running @since 0.1.0 */
export const listen: Effect.Effect<never, TransportError, McpServer | Listener> = listenWith({})

/**
 * Milliseconds that running calls get when the input ends, so that the process which started the server does not wait
 * long for its end.
 */
const drain = 500

const defaultProgressGap: Duration.Input = "10 millis"

/** The client at the other end of a connection with a handshake. */
const ofHandshake = Effect.map(
  Handshake.Current,
  (current): CallerInfo | undefined => current && { principal: Handshake.nameOf(current), header: current.head.header }
)

const run = (
  server: McpServer,
  transport: Transport,
  { caller, limits, network, progressGap = defaultProgressGap }: ServeOptions
): Effect.Effect<DisconnectReason> =>
  Effect.scoped(Effect.gen(function*() {
    let peer: Peer.Peer | undefined = undefined
    const known = yield* ofHandshake
    const connection = server.connect({
      peer: () => peer,
      caller: caller ?? known,
      // Of the transports of one connection, only WebSockets begin with a request.
      network: network ?? (known && Network.webSocket),
      progressGap: Duration.toMillis(Duration.fromInputUnsafe(progressGap))
    })
    const { dialect, router } = connection
    // A handler that runs within the first chunk finds its peer already.
    peer = yield* Peer.make(transport, { dialect, router, limits: { drain, ...limits }, start: "manual" })
    // The finalizers run in reverse order, so this ends the streams of changes first; the peer would wait for them.
    yield* Effect.addFinalizer(() => connection.close)
    yield* peer.start
    yield* peer.disconnected
    yield* connection.close
    return yield* peer.closed
  }))
