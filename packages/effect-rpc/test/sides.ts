/** Both sides of a connection, and the texts between them. */
import { assert } from "@effect/vitest"
import { NodeTcp } from "@parley/node"
import { Peer, Router, Server } from "@parley/peer"
import { Framing } from "@parley/protocol"
import { Listener, MemoryTransport, type Transport } from "@parley/transport"
import { Effect, Layer, type Scope } from "effect"
import { once } from "node:events"
import * as net from "node:net"

/** What serves a group, complete. */
export type Served = Layer.Layer<never, Router.MethodTaken, Router.Router>

/** At the end of a test the clock stands still, so that nothing may be waited for. */
const limits = { drain: 0 }

export const routerOf = (served: Served): Effect.Effect<Router.Router, never, Scope.Scope> =>
  Effect.gen(function*() {
    const router = yield* Router.make()
    yield* Effect.orDie(Layer.build(Layer.provide(served, Layer.succeed(Router.Router)(router))))
    return router
  })

/** Two peers over memory: the first calls, the second serves. The texts are written down in their order. */
export const pair = (served: Served, texts: Array<string> = []) =>
  Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const router = yield* routerOf(served)
    yield* Peer.make(noted(far, texts), { router, limits })
    return yield* Peer.make(noted(near, texts), { limits })
  })

const noted = (transport: Transport.Transport, notes: Array<string>): Transport.Transport => ({
  ...transport,
  send: (texts) =>
    Effect.suspend(() => {
      notes.push(...texts.map(String))
      return transport.send(texts)
    })
})

/** Sends texts to who serves, and gives as many texts as are expected. */
export const answers = (served: Served, texts: ReadonlyArray<string>, count: number) =>
  Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const router = yield* routerOf(served)
    yield* Peer.make(far, { router, limits })
    for (const text of texts) yield* near.send([text])
    const received: Array<string> = []
    while (received.length < count) received.push(...(yield* near.receive).map(String))
    assert.lengthOf(received, count)
    return received
  })

/** A port of 127.0.0.1 where a group is served, with the header of the Language Server Protocol before each text. */
export const listening = (served: Served) =>
  Effect.gen(function*() {
    const listener = yield* NodeTcp.makeListener({ port: 0, framing: Framing.contentLength })
    const router = yield* routerOf(served)
    yield* Server.runWith({ limits }).pipe(
      Effect.provideService(Listener.Listener, listener),
      Effect.provideService(Router.Router, router),
      Effect.forkScoped
    )
    return Number(new URL(listener.address).port)
  })

/** A port of 127.0.0.1 where each connection is given to another program. */
export const accepting = (onSocket: (socket: net.Socket) => void) =>
  Effect.gen(function*() {
    const sockets = new Set<net.Socket>()
    const server = net.createServer((socket) => {
      sockets.add(socket)
      onSocket(socket)
    })
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

/** A socket that is connected to a port, for another program. */
export const socket = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = net.connect({ host: "127.0.0.1", port })
      await once(socket, "connect")
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** A peer of ours that is connected to a port. */
export const connected = (port: number) =>
  Effect.flatMap(
    NodeTcp.makeTransport({ port, framing: Framing.contentLength }),
    (transport) => Peer.make(transport, { limits })
  )
