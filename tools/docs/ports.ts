/** The ports that a page names, and free ones that stand in for them. */
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { setTimeout } from "node:timers/promises"

/** Commands with free ports in place of those that they name. */
export const withFreePorts = async (commands: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const named = new Set(
    commands.flatMap((command) => Array.from(command.matchAll(/127\.0\.0\.1:(\d+)/g), ([, port]) => port))
  )
  let all = commands
  for (const port of named) {
    const free = await freePort()
    all = all.map((command) => command.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${free}`))
  }
  return all
}

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
    const socket = connect(port, "127.0.0.1")
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await setTimeout(50)
  }
}
