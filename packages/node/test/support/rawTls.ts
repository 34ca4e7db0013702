/** The other side of a TLS connection as a plain socket of Node.js. */
import type { Listener, Transport } from "@parley/transport"
import { Deferred, Effect, type Scope } from "effect"
import * as net from "node:net"
import * as tls from "node:tls"
import * as certificates from "./certificates.ts"
import { connected, portOf } from "./pairs.ts"
import type { Raw } from "./raw.ts"

/** Connects, half open, and keeps what comes. */
export const connect = (address: string): Effect.Effect<Raw, never, Scope.Scope> =>
  Effect.gen(function*() {
    const chunks: Array<Uint8Array> = []
    const ended = yield* Deferred.make<Uint8Array>()
    const [plain, socket] = yield* Effect.acquireRelease(
      Effect.callback<readonly [net.Socket, tls.TLSSocket]>((resume) => {
        const plain = net.connect({ host: "127.0.0.1", port: portOf(address), allowHalfOpen: true })
        const socket = tls.connect(
          { socket: plain, servername: "localhost", ca: certificates.ca },
          () => resume(Effect.succeed([plain, socket]))
        )
        const finish = () => Deferred.doneUnsafe(ended, Effect.succeed(Buffer.concat(chunks)))
        socket.on("data", (chunk) => chunks.push(chunk))
        socket.on("end", finish)
        socket.on("error", finish)
      }),
      ([, socket]) => Effect.sync(() => socket.destroy())
    )
    return {
      // That of TCP, which can be reset.
      socket: plain,
      write: (bytes) => Effect.sync(() => void socket.write(bytes)),
      end: Effect.sync(() => void socket.end()),
      received: Deferred.await(ended)
    }
  })

/** A transport of a listener, and a plain TLS socket as its other side. */
export const connectRaw = (
  makeListener: Effect.Effect<Listener.Listener, Transport.TransportError, Scope.Scope>
): Effect.Effect<readonly [Transport.Transport, Raw], Transport.TransportError, Scope.Scope> =>
  Effect.map(connected(makeListener, connect), ([raw, side]) => [side, raw])
