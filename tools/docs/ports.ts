/** Free ports, which stand in for those that a page names. */
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { setTimeout } from "node:timers/promises"

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : Number.NaN
}

/** Waits until something listens on a port, unless who should has ended. */
export const listening = async (port: number, hasEnded: () => boolean): Promise<void> => {
  for (;;) {
    if (hasEnded()) throw new Error("it ended before it listened")
    if (await isListening(port)) return
    await setTimeout(50)
  }
}

export const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1")
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
  })
  socket.destroy()
  return isOpen
}
