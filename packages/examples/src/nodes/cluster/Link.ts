/** The link between a program and its engine: a proxy of TCP that can stall, break and mend. */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import * as net from "node:net"

export interface Link {
  /** The address at which the program finds its engine. */
  readonly port: number
  /** Nothing passes any more, without an error. */
  readonly stall: () => void
  /** All connections are reset, and new ones as soon as they are there. */
  readonly reset: () => void
  /** All connections are closed, and new ones as soon as they are there. */
  readonly close: () => void
  /** Held data passes, and new connections are admitted. */
  readonly mend: () => void
}

/** A link to a port of this machine, until the Scope closes. */
export const make = (engine: number): Effect.Effect<Link, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(() => open(engine)), ({ end }) => Effect.sync(end))

/** The ways in which a link breaks its connections. */
const breaks = {
  reset: (socket: net.Socket) => void socket.resetAndDestroy(),
  closed: (socket: net.Socket) => void socket.destroy()
}

const open = async (engine: number): Promise<Link & { readonly end: () => void }> => {
  let state: "open" | "stalled" | keyof typeof breaks = "open"
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
    if (state === "reset" || state === "closed") return breaks[state](near)
    const far = net.connect(engine, "127.0.0.1")
    keep(near, far)
    keep(far, near)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // A server that listens at a port has an address with a port.
  const { port } = server.address() as net.AddressInfo

  const broken = (way: keyof typeof breaks) => {
    state = way
    for (const socket of sockets) breaks[way](socket)
  }
  return {
    port,
    stall: () => {
      state = "stalled"
      for (const socket of sockets) socket.pause()
    },
    reset: () => broken("reset"),
    close: () => broken("closed"),
    mend: () => {
      state = "open"
      for (const socket of sockets) socket.resume()
    },
    end: () => {
      broken("reset")
      server.close()
    }
  }
}
