/** The two sides of an interoperation over TCP: ours, and plain sockets for the other library. */
import * as Specimen from "@parley/conformance/Specimen"
import { NodeTcp } from "@parley/node"
import { Peer, Router, Server } from "@parley/peer"
import type { Dialect, Framing } from "@parley/protocol"
import { Listener, type Transport } from "@parley/transport"
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import * as net from "node:net"

/** How our side speaks. */
export interface Speech {
  readonly framing: Framing.Framing
  readonly dialect: Dialect.Dialect
}

/** A server of ours with the specimen methods and these, and its port. */
export const served = (
  speech: Speech,
  handlers: Router.Handlers = {}
): Effect.Effect<number, Transport.TransportError, Scope.Scope> =>
  Effect.gen(function*() {
    const listener = yield* NodeTcp.makeListener({ port: 0, framing: speech.framing })
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll({ ...Specimen.handlers, ...handlers }))
    yield* Server.runWith({ dialect: speech.dialect }).pipe(
      Effect.provideService(Listener.Listener, listener),
      Effect.provideService(Router.Router, router),
      Effect.forkScoped
    )
    return Number(new URL(listener.address).port)
  })

/** A peer of ours, connected to a port. */
export const peer = (port: number, speech: Speech, handlers: Router.Handlers = {}) =>
  Effect.gen(function*() {
    const transport = yield* NodeTcp.makeTransport({ port, framing: speech.framing })
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll(handlers))
    return yield* Peer.make(transport, { dialect: speech.dialect, router })
  })

/** A port where every connection is given to the other library. */
export const accepting = (onSocket: (socket: net.Socket) => void): Effect.Effect<number, never, Scope.Scope> =>
  listening(net.createServer(onSocket))

/** The port of a server of the other library, which is closed with the Scope. */
export const listening = (server: net.Server): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets = new Set<net.Socket>()
    server.on("connection", (socket) => sockets.add(socket))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.close()
        sockets.forEach((socket) => socket.destroy())
      })
    )
    server.listen(0, "127.0.0.1")
    yield* Effect.promise(() => once(server, "listening"))
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  })

/** A connected socket, for the other library. */
export const connected = (port: number): Effect.Effect<net.Socket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = net.connect({ host: "127.0.0.1", port })
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** The lines of a socket. */
export const onLines = (socket: net.Socket, onLine: (line: string) => void): void => {
  let rest = ""
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) onLine(line)
  })
}
