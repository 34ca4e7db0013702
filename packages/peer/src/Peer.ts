/**
 * JSON-RPC 2.0 in both directions over one transport.
 *
 * A `Peer` is a conversation with one lane, the stream of its transport. The
 * conversation (`internal/conversation`) owns the calls of both sides, the states
 * and the end; the lane (`internal/lanes`) owns the receive loop and the queue of
 * texts to be written.
 *
 * ```ts run
 * import { Peer, Router } from "@parley/peer"
 * import { MemoryTransport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const [ours, theirs] = yield* Effect.all([Router.make(), Router.make()])
 *   yield* ours.add("name", () => Effect.succeed("Ada"))
 *   // A handler may call the other side back.
 *   yield* theirs.add("greet", ({ peer }) => Effect.map(Effect.orDie(peer.request("name")), (name) => `Hello, ${name}`))
 *
 *   yield* Peer.make(far, { router: theirs })
 *   const peer = yield* Peer.make(near, { router: ours })
 *   console.log(yield* peer.request("greet")) // => Hello, Ada
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import * as Dialect from "@parley/protocol/Dialect"
import * as Limits from "@parley/protocol/Limits"
import * as Handshake from "@parley/transport/Handshake"
import { Occupancy } from "@parley/transport/shared"
import { framingOf, Transport } from "@parley/transport/Transport"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Caller } from "./Caller.ts"
import type { Lookup } from "./Handler.ts"
import type { DisconnectReason } from "./internal/CallerError.ts"
import { ConnectionKey } from "./internal/conversation/ConnectionKey.ts"
import type { AdapterOptions } from "./internal/conversation/Port.ts"
import { StreamLane } from "./internal/lanes/StreamLane.ts"
import type { Waits } from "./internal/room/Room.ts"
import { acquired, Host, withoutHandshake } from "./internal/runtime/Host.ts"
import { type CallsBack, DuplexRouter, layerCallsBack, make as makeRouter, Router } from "./Router.ts"

export type { Wait, Waits } from "./internal/room/Room.ts"

/**
 * The state of a peer.
 *
 * @category models
 * @since 0.1.0
 */
export type PeerState = "open" | "draining" | "closed"

/**
 * The options of a peer.
 *
 * @category models
 * @since 0.1.0
 */
export interface PeerOptions extends AdapterOptions {
  /** The methods that the other side may call. Without a router it may call none. */
  readonly router?: Lookup | undefined
  /** Bounds that differ from `Limits.defaults`. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** When the peer begins to read: as soon as it is made (the default), or when the program runs its `start`. */
  readonly start?: "atOnce" | "manual" | undefined
}

/**
 * Both directions over one transport: calls methods of the other side, and serves its calls.
 *
 * @category services
 * @since 0.1.0
 */
export interface Peer extends Caller {
  /**
   * Begins to read, where the option `start` is `manual`; it does nothing a second time. Before it, nothing of the other
   * side is read: its calls wait on the wire, and its end is not noticed. Calls of ours go out, but their responses come
   * after it, so do not wait for one before. A peer that has not started ends in order as any other.
   */
  readonly start: Effect.Effect<void>
  /**
   * The key of this connection: the same object as the `connection` of each call that comes by it. So what
   * `onConnection` keeps in a `Map` or `WeakMap` by this key, handlers find by theirs, and the other way round.
   */
  readonly connection: object
  /** The state of the peer now. */
  readonly state: Effect.Effect<PeerState>
  /** What waits now, and for what: to find out why a connection does not go on. */
  readonly waits: Effect.Effect<Waits>
  /** Whether calls can be made. */
  readonly connected: Effect.Effect<boolean>
  /** Waits until calls can no longer be made. */
  readonly disconnected: Effect.Effect<DisconnectReason>
  /** Waits until the peer is closed. */
  readonly closed: Effect.Effect<DisconnectReason>
  /**
   * Ends the connection in order and waits until it is closed: refuses requests that have not started, gives those
   * that run `Limits.drain` milliseconds, writes what waits to be written. Closing the Scope does the same.
   */
  readonly shutdown: Effect.Effect<void>
}

/**
 * Identifies the service `Peer` in the requirements of an effect. It is a type of its own because a `Peer` is also a
 * `Caller`: a layer that gives only a `Caller` must not satisfy an effect that needs a `Peer`.
 *
 * @category services
 * @since 0.1.0
 */
export interface PeerService {
  readonly "~@parley/peer/Peer": never
}

/** The service of a `Peer`. @category services @since 0.1.0 */
export const Peer: Context.Service<PeerService, Peer> = Context.Service("@parley/peer/Peer")

/**
 * A peer over this transport. It reads at once unless `start` is `manual`, and shuts down with the Scope. Its dialect
 * chooses the framing of a stream of bytes. Dies with a `TypeError` that says what to change where the transport has
 * another framing that does not go with it (`Dialect.misframing`).
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (transport: Transport, options: PeerOptions = {}): Effect.Effect<Peer, never, Scope.Scope> =>
  acquired((context) => start(transport, options, context), ({ shutdown }) => shutdown)

/**
 * The peer of a program that has one connection. It serves the `router` of its options and no other. A new layer at
 * each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: PeerOptions = {}): Layer.Layer<PeerService | Caller, never, Transport> =>
  Layer.effectContext(Effect.map(
    Effect.flatMap(Transport, (transport) => make(transport, options)),
    (peer) => Context.make(Peer, peer).pipe(Context.add(Caller, peer))
  ))

/**
 * The peer of a program that has one connection, and serves its `Router` to the other side. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerServing = (
  options: Omit<PeerOptions, "router"> = {}
): Layer.Layer<PeerService | Caller, never, Transport | DuplexRouter> =>
  Layer.unwrap(Effect.map(DuplexRouter, (router) => layer({ ...options, router })))

/**
 * The peer of a program that has one connection, and what stands over it: the layers of contracts, which may require
 * clients of the other side, and so the peer itself. They find a `Router`, the `Peer` and its `Caller` here. The peer
 * reads when all of them are built, so that no call comes before its handler, and shuts down before they end, so that
 * handlers that run keep their services. A layer that waits for a response of the other side while it is built runs the
 * `start` of the peer first. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerWith = <A, E, R>(
  layers: Layer.Layer<A, E, R>,
  options: Omit<PeerOptions, "router" | "start"> = {}
): Layer.Layer<
  PeerService | Caller | A,
  E,
  Transport | Exclude<Exclude<R, PeerService | Caller>, Router | CallsBack>
> =>
  // Fresh, because layers over two peers would be built for the first one only.
  // The layer that is built last ends first: handlers that run keep the services of the layers while the peer drains.
  Layer.fresh(
    Layer.effectDiscard(Peer.use(({ shutdown, start }) => Effect.acquireRelease(start, () => shutdown))).pipe(
      Layer.provideMerge(layers),
      Layer.provideMerge(Layer.unwrap(Effect.map(Router, (router) => layer({ ...options, router, start: "manual" })))),
      Layer.provide([Layer.effect(Router, makeRouter({ dialect: options.dialect })), layerCallsBack])
    )
  )

const start = (transport: Transport, options: PeerOptions, context: Context.Context<never>): Peer => {
  const dialect = options.dialect ?? Dialect.jsonRpc
  const actual = framingOf(transport)?.choose(dialect.framing)
  const conflict = actual && Dialect.misframing(dialect, actual)
  // No text would ever be understood: each call would end by its timeout.
  if (conflict !== undefined) throw new TypeError(conflict)
  const limits = Limits.make(options.limits)
  // A listener hides the holder: a context that has one is that of a handler, with the handshake of its client.
  const isWithin = Context.get(context, Handshake.Holder) !== undefined
  const host = new Host(isWithin ? withoutHandshake(context) : context, limits).holding()
  const made = { ...options, host, limits, drain: limits.drain, connection: new ConnectionKey() }
  const lane = new StreamLane(transport, made, Context.get(context, Occupancy.Occupancy))
  const { caller, conversation } = lane
  if (options.start !== "manual") lane.start()
  return {
    ...caller,
    connection: made.connection,
    start: Effect.sync(() => lane.start()),
    state: Effect.sync(() => conversation.state),
    waits: Effect.sync(() => lane.waits),
    connected: Effect.sync(() => conversation.reason === undefined),
    disconnected: Deferred.await(lane.disconnected),
    closed: Deferred.await(lane.over),
    shutdown: Effect.suspend(() => {
      conversation.shutDown()
      return Effect.asVoid(Deferred.await(lane.over))
    })
  }
}
