/**
 * Transports and listeners over `node:net`, for TCP and Unix sockets alike.
 *
 * Not over Effect's `NodeSocket`, because there a write to a connection that was
 * reset waits for ever, and closing a connection with unread input resets it, so
 * that the other side loses what was written last.
 */
import type { Framing } from "@parley/protocol/Framing"
import * as framings from "@parley/protocol/Framing"
import * as Limits from "@parley/protocol/Limits"
import * as FramedTransport from "@parley/transport/FramedTransport"
import * as Listener from "@parley/transport/Listener"
import type { Transport } from "@parley/transport/Transport"
import * as TransportError from "@parley/transport/TransportError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as net from "node:net"
import { Source, Target } from "./streams.ts"

/** What TCP and Unix sockets have in common. */
export interface Options {
  readonly framing?: Framing | undefined
  readonly limits?: Partial<Limits.Limits> | undefined
}

const openError = (cause: unknown) => TransportError.make({ _tag: "Open", cause })

/** Connects, within `Limits.handshake`. */
export const connect = Effect.fnUntraced(function*(
  place: net.NetConnectOpts,
  options: Options
): Effect.fn.Return<Transport["Service"], TransportError.TransportError, Scope.Scope> {
  const { handshake } = Limits.make(options.limits)
  const { bytes, socket } = yield* Effect.acquireRelease(
    Effect.map(Clock.Clock, (clock) => {
      const socket = net.connect({ ...place, allowHalfOpen: true })
      return { socket, bytes: bytesOf(socket, clock) }
    }),
    // Once connected it is the transport that closes it, in order.
    ({ socket }) => Effect.sync(() => socket.connecting && socket.destroy())
  )
  yield* Effect.timeoutOrElse(connected(socket), {
    duration: handshake,
    orElse: () => Effect.fail(openError(new Error(`no connection within ${handshake} ms`)))
  })
  return yield* transportOf(bytes, options)
})

const connected = (socket: net.Socket): Effect.Effect<void, TransportError.TransportError> =>
  Effect.callback((resume) => {
    const onConnect = () => {
      forget()
      resume(Effect.void)
    }
    const onError = (cause: unknown) => {
      forget()
      resume(Effect.fail(openError(cause)))
    }
    const forget = () => {
      socket.off("connect", onConnect)
      socket.off("error", onError)
    }
    socket.on("connect", onConnect)
    socket.on("error", onError)
    return Effect.sync(forget)
  })

/** Listens until the Scope closes. Connections wait for `run`, as many as may be open. */
export const listen = Effect.fnUntraced(function*(
  place: net.ListenOptions,
  options: Options,
  addressOf: (server: net.Server) => string
): Effect.fn.Return<Listener.Listener["Service"], TransportError.TransportError, Scope.Scope> {
  const { connections } = Limits.make(options.limits)
  const clock = yield* Clock.Clock
  const arrivals = yield* Effect.acquireRelease(
    Queue.dropping<Listener.Arrival, TransportError.TransportError>(connections),
    refuseAll
  )
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => net.createServer({ allowHalfOpen: true, noDelay: true })),
    // Its connections belong to their handlers, which is why their end is not waited for.
    (server) => Effect.sync(() => server.close())
  )
  server.on("connection", (socket) => {
    const bytes = bytesOf(socket, clock)
    const refuse = Effect.sync(() => socket.destroy())
    if (!Queue.offerUnsafe(arrivals, { open: transportOf(bytes, options), refuse })) socket.destroy()
  })
  yield* listening(server, place)
  const context = yield* Effect.context<never>()
  server.on("error", (cause) => {
    // One connection that could not be accepted is not the end of the listener.
    if (server.listening) Effect.runForkWith(context)(Effect.logWarning("A connection could not be accepted", cause))
    else Queue.failCauseUnsafe(arrivals, Cause.fail(TransportError.make({ _tag: "Lost", cause })))
  })
  return Listener.make({ address: addressOf(server), accept: Queue.take(arrivals), connections })
})

const refuseAll = Effect.fnUntraced(function*(arrivals: Queue.Queue<Listener.Arrival, TransportError.TransportError>) {
  const waiting = yield* Effect.orElseSucceed(Queue.clear(arrivals), () => [])
  yield* Effect.forEach(waiting, ({ refuse }) => refuse, { discard: true })
  yield* Queue.fail(arrivals, TransportError.make({ _tag: "Closed" }))
})

const listening = (server: net.Server, place: net.ListenOptions): Effect.Effect<void, TransportError.TransportError> =>
  Effect.callback((resume) => {
    const onListening = () => {
      forget()
      resume(Effect.void)
    }
    const onError = (cause: unknown) => {
      forget()
      resume(Effect.fail(openError(cause)))
    }
    const forget = () => {
      server.off("listening", onListening)
      server.off("error", onError)
    }
    server.on("listening", onListening)
    server.on("error", onError)
    server.listen(place)
  })

const transportOf = (bytes: FramedTransport.Bytes, options: Options) =>
  FramedTransport.fromBytes(bytes, { framing: options.framing ?? framings.line, limits: options.limits })

const bytesOf = (socket: net.Socket, clock: Clock.Clock): FramedTransport.Bytes => {
  const source = new Source(socket)
  const target = new Target(socket)
  return {
    pull: source.pull,
    write: target.write,
    close: Effect.suspend(() => {
      source.stop()
      target.stop()
      return socket.destroyed ? Effect.void : end(socket, clock)
    })
  }
}

/** Milliseconds that a closing connection may make no progress, and may take once all is written. */
const linger = 1_000

/** Milliseconds that it may take to write what is left while the other side goes on sending. */
const flush = Limits.defaults.writeStall

/**
 * Writes what is left, says that it was all, and returns. A socket that is destroyed with unread input is reset, and
 * the other side may lose what it has not read; so it is read on for a moment, and what comes is dropped.
 */
const end = (socket: net.Socket, clock: Clock.Clock): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let deadline = clock.currentTimeMillisUnsafe() + flush
    socket.setTimeout(linger, () => socket.destroy())
    socket.on("data", () => {
      if (clock.currentTimeMillisUnsafe() > deadline) socket.destroy()
    })
    socket.resume()
    socket.on("close", () => resume(Effect.void))
    socket.end(() => {
      deadline = clock.currentTimeMillisUnsafe() + linger
      resume(Effect.void)
    })
  })
