/** The link between a node and its engine: a proxy of TCP that can stall, break and mend. */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import * as net from "node:net"

export interface Link {
  /** Where the node finds its engine. */
  readonly port: number
  /** Nothing passes any more, and nobody is told. */
  readonly stall: () => void
  /** All connections break, and new ones are refused. */
  readonly reset: () => void
  /** What was held back passes, and new connections are let through. */
  readonly mend: () => void
}

/** A link to a port of this machine, until the Scope closes. */
export const make = (engine: number): Effect.Effect<Link, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(() => open(engine)), ({ close }) => Effect.sync(close))

const open = async (engine: number): Promise<Link & { readonly close: () => void }> => {
  let state: "open" | "stalled" | "broken" = "open"
  const sockets = new Set<net.Socket>()

  const keep = (socket: net.Socket, other: net.Socket) => {
    sockets.add(socket)
    socket.on("data", (chunk) => {
      if (!other.write(chunk)) socket.pause()
    })
    socket.on("drain", () => {
      if (state !== "stalled") other.resume()
    })
    // Its end follows as "close".
    socket.on("error", () => {})
    socket.on("close", () => {
      sockets.delete(socket)
      other.destroy()
    })
    if (state === "stalled") socket.pause()
  }

  const server = net.createServer((near) => {
    if (state === "broken") return void near.resetAndDestroy()
    const far = net.connect(engine, "127.0.0.1")
    keep(near, far)
    keep(far, near)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // A server that listens at a port has an address with a port.
  const { port } = server.address() as net.AddressInfo

  const reset = () => {
    state = "broken"
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port,
    stall: () => {
      state = "stalled"
      for (const socket of sockets) socket.pause()
    },
    reset,
    mend: () => {
      state = "open"
      for (const socket of sockets) socket.resume()
    },
    close: () => {
      reset()
      server.close()
    }
  }
}
