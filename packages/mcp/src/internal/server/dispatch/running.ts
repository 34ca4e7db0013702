/**
 * Serves connections that carry texts both ways: a peer over each.
 */
import type { DisconnectReason } from "@parley/peer/CallerError"
import * as Peer from "@parley/peer/Peer"
import * as Limits from "@parley/protocol/Limits"
import * as Budget from "@parley/transport/host/Budget"
import * as Handshake from "@parley/transport/host/Handshake"
import { Listener } from "@parley/transport/Listener"
import { Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Effect from "effect/Effect"
import type { Origin } from "../../../McpContext.ts"
import type { McpServer, ServeOptions } from "../../../McpServer.ts"

/** Milliseconds that running calls get when the input ends: who started a server must not wait for it to be gone. */
const drain = 500

/** Who is at the other end of a connection with a handshake. */
const ofHandshake = Effect.map(
  Handshake.Current,
  (current): Origin | undefined => current && { principal: Handshake.nameOf(current), header: current.head.header }
)

/** @internal */
export const run = (
  server: McpServer,
  transport: Transport,
  { limits, origin }: ServeOptions
): Effect.Effect<DisconnectReason> =>
  Effect.scoped(Effect.gen(function*() {
    let peer: Peer.Peer | undefined = undefined
    const connection = server.connect({ peer: () => peer, origin: origin ?? (yield* ofHandshake) })
    const { dialect, router } = connection
    peer = yield* Peer.make(transport, { dialect, router, limits: { drain, ...limits } })
    // Before the peer shuts down, which would wait for what the client listens to.
    yield* Effect.addFinalizer(() => connection.close)
    yield* peer.disconnected
    yield* connection.close
    return yield* peer.closed
  }))

/** @internal */
export const serve = Effect.fnUntraced(function*(
  server: McpServer,
  options: ServeOptions
): Effect.fn.Return<DisconnectReason, never, Transport> {
  return yield* run(server, yield* Transport, options)
})

/** @internal */
export const listen = Effect.fnUntraced(function*(
  server: McpServer,
  options: ServeOptions
): Effect.fn.Return<never, TransportError, Listener> {
  const listener = yield* Listener
  const budget = Budget.make(Limits.make(options.limits).budget)
  return yield* Effect.provideService(
    listener.run((transport) => run(server, transport, options)),
    Budget.Budget,
    budget
  )
})
