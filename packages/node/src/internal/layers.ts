/**
 * The server and the peer of a program as one Layer each, the same for every wire.
 */
import type { Caller } from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import type { DuplexRouter } from "@parley/peer/Router"
import * as Server from "@parley/peer/Server"
import { Listener, single as single_ } from "@parley/transport/Listener"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** What a server may be given beside what its listener may be given. */
export interface ServerOptions<R> extends Omit<Server.ServerOptions<R>, "limits"> {}

/** What a peer may be given beside what its transport may be given. */
export interface PeerOptions extends Omit<Peer.PeerOptions, "limits"> {}

/** Serves the `Router` to the connections of a listener, as long as the Layer lives. */
export const server = <R, E, R2>(
  listener: Layer.Layer<Listener, E, R2>,
  options: Server.ServerOptions<R>
): Layer.Layer<Listener, E, R2 | DuplexRouter | Exclude<R, Scope.Scope>> =>
  Layer.provideMerge(Server.layer(options), listener)

/** A listener whose one connection is opened with the Layer, so that a failure is that of the Layer. */
export const single = (
  address: string,
  open: Effect.Effect<Transport, TransportError, Scope.Scope>
): Layer.Layer<Listener, TransportError> =>
  Layer.effect(Listener, Effect.map(open, (transport) => single_(address, Effect.succeed(transport))))

/** Serves the `Router` to the one connection of a listener, until its input has ended. */
export const untilEnd = <R>(
  listener: Listener,
  options: Server.ServerOptions<R>
): Effect.Effect<void, TransportError, DuplexRouter | Exclude<R, Scope.Scope>> =>
  Effect.catchReason(
    Effect.provideService(Server.runWith(options), Listener, listener),
    "TransportError",
    "EndOfInput",
    () => Effect.void
  )

/** The peer of a program that has one connection, over this transport. */
export const peer = (
  transport: Layer.Layer<Transport, TransportError>,
  options: Peer.PeerOptions
): Layer.Layer<Peer.PeerService | Caller, TransportError> => Layer.provide(Peer.layer(options), transport)
