/** Servers that answer what they are told, and some that break. */
import { Effect, type Scope } from "effect"
import * as http from "node:http"
import * as net from "node:net"

const listening = <S extends net.Server>(make: () => S, close: (server: S) => void) =>
  Effect.gen(function*() {
    const server = yield* Effect.acquireRelease(
      Effect.callback<S>((resume) => {
        const server = make()
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          close(server)
        })
    )
    const address = server.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
  })

export const answering = (listener: http.RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  listening(() => http.createServer(listener), (server) => server.closeAllConnections())

/** A server that is no HTTP server until its listener makes it one. */
export const raw = (listener: (socket: net.Socket) => void): Effect.Effect<string, never, Scope.Scope> => {
  const sockets = new Set<net.Socket>()
  return listening(
    () =>
      net.createServer((socket) => {
        sockets.add(socket)
        // Breaking is the purpose.
        socket.on("error", () => {})
        listener(socket)
      }),
    () => sockets.forEach((socket) => socket.destroy())
  )
}

/** A URL at which nobody listens. */
export const nobody: Effect.Effect<string> = Effect.scoped(raw(() => {}))

/** The whole body of a request, then what is to be done. */
export const withBody =
  (listener: (body: string, response: http.ServerResponse) => void): http.RequestListener => (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.on("end", () => listener(Buffer.concat(chunks).toString(), response))
  }
