/** A link to a server that can be cut. */
import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"

/** Listens on a free port, and carries bytes to and from `port` unless it is cut. */
export const make = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      let isCut = false
      const end = () => {
        for (const socket of sockets) socket.destroy()
      }
      const server = createServer((near) => {
        if (isCut) return void near.destroy()
        const far = connect(port, "127.0.0.1")
        for (const [one, other] of [[near, far], [far, near]] as const) {
          sockets.add(one)
          one.on("error", () => {}).on("close", () => {
            sockets.delete(one)
            other.destroy()
          }).pipe(other)
        }
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const address = server.address()
      return {
        address: `127.0.0.1:${typeof address === "object" ? address?.port : address}`,
        cut: Effect.sync(() => {
          isCut = true
          end()
        }),
        mend: Effect.sync(() => {
          isCut = false
        }),
        close: () => {
          end()
          server.close()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )
