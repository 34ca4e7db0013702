/** The other side of a WebSocket in the hands of the test: a bare `ws`, or bytes. */
import { NodeWS } from "@effect/platform-node"
import * as NodeWebSocket from "@parley/node/NodeWebSocket"
import type * as Transport from "@parley/transport/Transport"
import { Deferred, Effect, type Scope } from "effect"
import type * as net from "node:net"

type Side = Transport.Transport

export type Bare = InstanceType<typeof NodeWS.WebSocket>

/** Waits for an event. */
export const event = (bare: Bare, name: string): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.callback((resume) => {
    bare.once(name, (...values) => resume(Effect.succeed(values)))
  })

/** A listener of ours, a bare client of it, and the side that its handler got. */
export const client = (
  options: Partial<NodeWebSocket.WebSocketListenerOptions> = {},
  clientOptions: object = {}
): Effect.Effect<readonly [Side, Bare], Transport.TransportError, Scope.Scope> =>
  Effect.gen(function*() {
    const listener = yield* NodeWebSocket.makeListener({ port: 0, ...options })
    const accepted = yield* Deferred.make<Side>()
    yield* Effect.forkScoped(listener.run((side) => Effect.andThen(Deferred.succeed(accepted, side), Effect.never)))
    const bare = yield* Effect.acquireRelease(
      Effect.sync(() => new NodeWS.WebSocket(listener.address, [], { perMessageDeflate: false, ...clientOptions })),
      (bare) => Effect.sync(() => bare.terminate())
    )
    bare.on("error", () => {})
    yield* event(bare, "open")
    return [yield* Deferred.await(accepted), bare]
  })

/** A bare server, and where it listens. */
export const server = (
  onConnection: (bare: Bare, tcp: net.Socket) => void,
  options: object = {}
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<InstanceType<typeof NodeWS.WebSocketServer>>((resume) => {
        const server = new NodeWS.WebSocketServer({ host: "127.0.0.1", port: 0, ...options })
        server.on("listening", () => resume(Effect.succeed(server)))
        server.on("connection", (bare, request) => {
          bare.on("error", () => {})
          onConnection(bare, request.socket)
        })
      }),
      (server) =>
        Effect.sync(() => {
          for (const bare of server.clients) {
            bare.terminate()
          }
          server.close()
        })
    ),
    (server) => {
      const address = server.address()
      return typeof address === "object" && address !== null ? `ws://127.0.0.1:${address.port}` : ""
    }
  )
