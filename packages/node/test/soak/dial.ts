/** Plain sockets, and all sockets of this process that connect: those of clients may be broken. */
import { Effect, type Scope } from "effect"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import * as net from "node:net"

const spared = new WeakSet<net.Socket>()

const placeOf = (address: string): net.NetConnectOpts => {
  if (address.startsWith("unix:")) return { path: address.slice("unix:".length) }
  const { hostname, port } = new URL(address)
  return { host: hostname, port: Number(port) }
}

/** Connects; closed without further ado with the Scope. Its errors are its end. */
export const dial = (address: string): Effect.Effect<net.Socket, Error, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const socket = net.connect({ ...placeOf(address), allowHalfOpen: true, noDelay: true })
        spared.add(socket)
        await once(socket, "connect")
        return socket.on("error", () => {})
      },
      catch: (cause) => new Error(`nobody answers at ${address}`, { cause })
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Waits until the other side has ended the connection, one way or another, and gives what it has said. */
export const said = (socket: net.Socket): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    const done = () => resume(Effect.succeed(Buffer.concat(chunks).toString("latin1")))
    socket.on("data", (chunk) => chunks.push(chunk)).on("end", done).on("close", done)
  })

/** Asks for the sum of a number and one; gives nothing where the other side ends the connection instead. */
export const sum = (socket: net.Socket, number: number): Effect.Effect<number | undefined> =>
  Effect.callback((resume) => {
    const done = (sum?: number) => {
      socket.off("data", onData).off("end", onEnd).off("close", onEnd)
      resume(Effect.succeed(sum))
    }
    const onData = (chunk: Buffer) => done(JSON.parse(chunk.toString()).result)
    const onEnd = () => done()
    socket.on("data", onData).on("end", onEnd).on("close", onEnd)
    if (socket.readableEnded || socket.destroyed) onEnd()
    else socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sum", params: [number, 1] })}\n`)
  })

/** Writes no faster than the socket takes it, until so many bytes are written or the connection is over. */
export const pour = async (socket: net.Socket, chunk: Uint8Array | string, bytes = Infinity): Promise<number> => {
  const over = new AbortController()
  socket.once("close", () => over.abort())
  let written = 0
  for (; written < bytes && socket.writable; written += chunk.length) {
    if (socket.write(chunk)) continue
    await once(socket, "drain", over).catch(() => {})
  }
  return written
}

/** The sockets of this process that have connected since. */
export interface Sockets {
  /** Bytes that they have read and written. */
  readonly bytes: () => number
  /** One that no test needs, as a number below 1 chooses it. */
  readonly pick: (random: number) => net.Socket | undefined
  /** As many are open now. */
  readonly size: () => number
}

/** Knows every socket that connects from here on, until the Scope closes. */
export const watched: Effect.Effect<Sockets, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const open = new Set<net.Socket>()
      let before = 0
      const onSocket = (message: unknown) => {
        // The channel of Node.js says `{ socket }`.
        const { socket } = message as { readonly socket: net.Socket }
        open.add(socket)
        socket.once("close", () => {
          open.delete(socket)
          before += socket.bytesRead + socket.bytesWritten
        })
      }
      subscribe("net.client.socket", onSocket)
      const bytes = () => [...open].reduce((sum, socket) => sum + socket.bytesRead + socket.bytesWritten, before)
      const pick = (random: number) => {
        const breakable = [...open].filter((socket) => !spared.has(socket) && !socket.connecting)
        return breakable[Math.floor(random * breakable.length)]
      }
      return { onSocket, sockets: { bytes, pick, size: () => open.size } }
    }),
    ({ onSocket }) => Effect.sync(() => unsubscribe("net.client.socket", onSocket))
  ),
  ({ sockets }) => sockets
)
