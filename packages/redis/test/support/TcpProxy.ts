/** A way to a port of this machine, which can be cut: nothing goes through, and nobody is told. */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface TcpProxy {
  readonly port: number
  /** What is sent stays where it is, until it is not cut any more. */
  readonly cut: (isCut: boolean) => Effect.Effect<void>
  /** Closes all connections, and those that come, until told otherwise. */
  readonly close: (isClosed: boolean) => Effect.Effect<void>
}

export const make = (to: number): Effect.Effect<TcpProxy, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sockets = new Set<Socket>()
    let [isCut, isClosed] = [false, false]
    const server = createServer((near) => {
      if (isClosed) {
        near.destroy()
        return
      }
      const far = connect(to, "127.0.0.1")
      for (const [one, other] of [[near, far], [far, near]] as const) {
        sockets.add(one)
        if (isCut) one.pause()
        one.on("data", (data) => void other.write(data))
        one.on("error", () => other.destroy())
        one.on("close", () => {
          sockets.delete(one)
          other.destroy()
        })
      }
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => once(server.listen(0, "127.0.0.1"), "listening")),
      () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    return {
      port: (server.address() as AddressInfo).port,
      cut: (is) =>
        Effect.sync(() => {
          isCut = is
          for (const socket of sockets) {
            if (is) socket.pause()
            else socket.resume()
          }
        }),
      close: (is) =>
        Effect.sync(() => {
          isClosed = is
          if (is) { for (const socket of sockets) socket.destroy() }
        })
    }
  })
