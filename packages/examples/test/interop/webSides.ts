/** The two sides of an interoperation over WebSocket and over HTTP: ours, and plain ones for the other library. */
import * as Specimen from "@parley/conformance/Specimen"
import { NodeHttp, NodeWebSocket } from "@parley/node"
import { Peer, Router, Server } from "@parley/peer"
import { Dialect } from "@parley/protocol"
import { Listener, type Transport } from "@parley/transport"
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { WebSocket, WebSocketServer } from "ws"

type Opened<A> = Effect.Effect<A, Transport.TransportError, Scope.Scope>

const routed = (handlers: Router.Handlers) =>
  Effect.tap(Router.make(), (router) => Effect.orDie(router.addAll({ ...Specimen.handlers, ...handlers })))

/** A WebSocket server of ours with the specimen methods and these, and its URL. */
export const servedAtSocket = (
  handlers: Router.Handlers = {},
  dialect: Dialect.Dialect = Dialect.jsonRpc
): Opened<string> =>
  Effect.gen(function*() {
    const listener = yield* NodeWebSocket.makeListener({ port: 0 })
    yield* Server.runWith({ dialect }).pipe(
      Effect.provideService(Listener.Listener, listener),
      Effect.provideService(Router.Router, yield* routed(handlers)),
      Effect.forkScoped
    )
    return listener.address
  })

/** A peer of ours, connected to a WebSocket server. */
export const socketPeer = (
  url: string,
  handlers: Router.Handlers = {},
  options: Omit<Peer.PeerOptions, "router"> = {}
): Opened<Peer.Peer> =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    yield* Effect.orDie(router.addAll(handlers))
    return yield* Peer.make(yield* NodeWebSocket.makeTransport({ url }), { ...options, router })
  })

/** The URL of a server where every WebSocket is given to the other library. */
export const acceptingSockets = (
  onSocket: (socket: WebSocket) => void
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function*() {
    const server = yield* socketServer
    server.on("connection", onSocket)
    return urlOf(server)
  })

/** A server that closes with the Scope, and all its connections. */
export const socketServer: Effect.Effect<WebSocketServer, never, Scope.Scope> = Effect.gen(function*() {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
  yield* closing(server)
  yield* Effect.promise(() => once(server, "listening"))
  return server
})

/** Closes a server with the Scope, and all its connections. */
export const closing = (server: WebSocketServer): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.close()
      for (const socket of server.clients) socket.terminate()
    })
  )

export const urlOf = (server: WebSocketServer): string => {
  const address = server.address()
  return typeof address === "object" && address !== null ? `ws://127.0.0.1:${address.port}` : ""
}

/** An open WebSocket, for the other library. */
export const connectedSocket = (url: string): Effect.Effect<WebSocket, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = new WebSocket(url)
      await once(socket, "open")
      return socket
    }),
    (socket) => Effect.sync(() => socket.terminate())
  )

/** An HTTP server of ours with the specimen methods and these, and its URL. */
export const servedAtHttp = (handlers: Router.Handlers = {}): Opened<string> =>
  Effect.gen(function*() {
    const { address } = yield* Effect.provideServiceEffect(
      NodeHttp.serveRouter({ port: 0 }),
      Router.Router,
      routed(handlers)
    )
    return address
  })
