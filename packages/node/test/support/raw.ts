/** The other side of a connection as a plain socket of Node.js. */
import type { Listener, Transport } from "@parley/transport"
import { Deferred, Effect, type Scope } from "effect"
import * as net from "node:net"
import { connected } from "./pairs.ts"

export interface Raw {
  readonly socket: net.Socket
  readonly write: (bytes: Uint8Array | string) => Effect.Effect<void>
  readonly end: Effect.Effect<void>
  readonly received: Effect.Effect<Uint8Array>
}

/** Connects to `tcp://…` or `unix:…`. What comes is kept, and nothing is sent on our own. */
export const connect = (address: string): Effect.Effect<Raw, never, Scope.Scope> =>
  Effect.gen(function*() {
    const tcp = /^tcp:\/\/(.*):(\d+)$/.exec(address)
    const place = tcp === null ? { path: address.slice("unix:".length) } : { host: tcp[1]!, port: Number(tcp[2]) }
    const chunks: Array<Uint8Array> = []
    const ended = yield* Deferred.make<Uint8Array>()
    const socket = yield* Effect.acquireRelease(
      Effect.callback<net.Socket>((resume) => {
        const socket = net.connect(
          { ...place, allowHalfOpen: true, noDelay: true },
          () => resume(Effect.succeed(socket))
        )
        const finish = () => Deferred.doneUnsafe(ended, Effect.succeed(Buffer.concat(chunks)))
        socket.on("data", (chunk) => chunks.push(chunk))
        socket.on("end", finish)
        socket.on("error", finish)
      }),
      (socket) => Effect.sync(() => socket.destroy())
    )
    return {
      socket,
      write: (bytes) => Effect.sync(() => void socket.write(bytes)),
      end: Effect.sync(() => void socket.end()),
      received: Deferred.await(ended)
    }
  })

/** A transport of a listener, and a plain socket as its other side. */
export const connectRaw = (
  makeListener: Effect.Effect<Listener.Listener, Transport.TransportError, Scope.Scope>
): Effect.Effect<readonly [Transport.Transport, Raw], Transport.TransportError, Scope.Scope> =>
  Effect.map(connected(makeListener, connect), ([raw, side]) => [side, raw])
