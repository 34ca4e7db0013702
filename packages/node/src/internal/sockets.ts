/**
 * Transports and listeners over `node:net`, for TCP, TLS and Unix sockets alike.
 *
 * It does not use Effect's `NodeSocket`. There a write to a connection that was
 * reset waits for ever, and closing a connection with unread input resets it, so
 * that the other side loses the last bytes.
 */
import type { Framing } from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import * as FramedTransport from "@parley/transport/FramedTransport"
import type * as Listener from "@parley/transport/Listener"
import { Monotonic } from "@parley/transport/shared"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as net from "node:net"
import * as nodeServer from "./nodeServer.ts"
import { Source, Target } from "./streams.ts"
import { clientOptions, nodeTls, serverOptions } from "./tls.ts"
import type { Tls } from "./TlsOptions.ts"

/** The options of TCP and Unix sockets. */
export interface Options {
  readonly framing?: Framing | undefined
  readonly limits?: Partial<Limits.Limits> | undefined
  readonly tls?: Tls | undefined
  readonly connectionsPerAddress?: number | undefined
}

/** Connects, including the TLS handshake, within `Limits.handshake`. */
export const connect = Effect.fnUntraced(function*(
  place: net.NetConnectOpts,
  options: Options
): Effect.fn.Return<Transport, TransportError, Scope.Scope> {
  const { handshake } = Limits.make(options.limits)
  const secure = options.tls === undefined
    ? undefined
    : { tls: yield* nodeTls, options: yield* clientOptions(options.tls) }
  let isConnected = false
  const { bytes, opened } = yield* Effect.acquireRelease(
    Effect.flatMap(Clock.Clock, (clock) =>
      Effect.try({
        try: () => {
          const whole = { ...place, allowHalfOpen: true }
          const socket = secure === undefined
            ? net.connect(whole)
            : secure.tls.connect({ ...whole, ...secure.options })
          const opened = opening(socket, secure === undefined ? "connect" : "secureConnect")
          return { socket, bytes: new SocketBytes(socket, clock), opened }
        },
        catch: nodeServer.openError
      })),
    // Once connected, the transport closes it in order.
    ({ socket }) => Effect.sync(() => isConnected || socket.destroy())
  )
  yield* Effect.timeoutOrElse(opened, {
    duration: handshake,
    orElse: () =>
      Effect.fail(nodeServer.openError(new Error(`no connection within ${handshake} ms, the limit \`handshake\``)))
  })
  const transport = yield* transportOf(bytes, options)
  isConnected = true
  return transport
})

/** Waits for the connection. It listens from now on, because the event may come before the fiber runs again. */
const opening = (socket: net.Socket, event: "connect" | "secureConnect") => {
  const opened = Deferred.makeUnsafe<void, TransportError>()
  const onError = (cause: unknown) => Deferred.doneUnsafe(opened, Exit.fail(nodeServer.openError(cause)))
  socket.once("error", onError)
  socket.once(event, () => {
    socket.off("error", onError)
    Deferred.doneUnsafe(opened, Exit.void)
  })
  return Deferred.await(opened)
}

/** Listens until the Scope closes. */
export const listen = Effect.fnUntraced(function*(
  place: net.ListenOptions,
  options: Options,
  addressOf: (server: net.Server) => string
): Effect.fn.Return<Listener.Listener, TransportError, Scope.Scope> {
  const { connections, handshake } = Limits.make(options.limits)
  const clock = yield* Clock.Clock
  const secure = options.tls === undefined
    ? undefined
    : { tls: yield* nodeTls, options: yield* serverOptions(options.tls) }
  return yield* nodeServer.listener({
    create: () => {
      if (secure === undefined) return net.createServer({ allowHalfOpen: true, noDelay: true })
      const server = secure.tls.createServer({ ...secure.options, noDelay: true, handshakeTimeout: handshake })
      server.maxConnections = connections + nodeServer.waitingRoom
      return server
    },
    place,
    connections,
    perAddress: options.connectionsPerAddress,
    addressOf,
    attach: (server, arrive) => {
      server.on("tlsClientError", (_: Error, socket: net.Socket) => socket.destroy())
      server.on(secure === undefined ? "connection" : "secureConnection", (socket: net.Socket) => {
        // Set after the handshake, because a half open socket of Node.js outlives a client that leaves during it.
        socket.allowHalfOpen = true
        // Unix sockets ignore it.
        socket.setKeepAlive(true, silence)
        arrive({
          from: socket.remoteAddress,
          open: transportOf(new SocketBytes(socket, clock), options),
          refuse: () => socket.destroy()
        })
      })
    }
  })
})

const transportOf = (bytes: FramedTransport.Bytes, options: Options) =>
  FramedTransport.fromBytes(bytes, { framing: options.framing, limits: options.limits })

/** The bytes of a socket, with the target itself: one of many connections is written to faster by fewer objects. */
class SocketBytes extends Target implements FramedTransport.Bytes {
  readonly pull: FramedTransport.Bytes["pull"]
  readonly close: FramedTransport.Bytes["close"]
  readonly abort: Effect.Effect<void>

  constructor(socket: net.Socket, clock: Clock.Clock) {
    super(socket)
    const source = new Source(socket)
    this.pull = source.pull
    this.close = Effect.suspend(() => {
      source.stop()
      this.stop()
      return socket.destroyed ? Effect.void : end(socket, clock)
    })
    this.abort = Effect.sync(() => socket.destroy())
  }
}

/** Milliseconds of silence after which the system asks whether the other side is still there. */
const silence = 60_000

/** Milliseconds in which a closing connection may make no progress, and which it has once everything is written. */
const linger = 1_000

/** Milliseconds for writing the rest while the other side goes on sending. */
const flush = Limits.defaults.writeStall

/**
 * Writes the rest, ends the output, and returns. A socket that is destroyed with unread input is reset, and the other
 * side may lose bytes that it has not read. So the socket is read on for a moment, and the bytes are dropped.
 */
const end = (socket: net.Socket, clock: Clock.Clock): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const now = () => Monotonic.now(clock)
    let deadline = now() + flush
    socket.setTimeout(linger, () => socket.destroy())
    socket.on("data", () => {
      if (now() > deadline) socket.destroy()
    })
    socket.resume()
    socket.on("close", () => resume(Effect.void))
    socket.end(() => {
      deadline = now() + linger
      resume(Effect.void)
    })
  })
