/** How the programs of this folder tell where they listen. */
import type { Server } from "node:net"

/** Listens on a free port of this machine, and prints the URL. */
export const listen = (server: Server, scheme: "http" | "tcp" | "ws", path = ""): void => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (typeof address !== "object" || address === null) throw new Error("it listens at no port")
    process.stdout.write(`${scheme}://127.0.0.1:${address.port}${path}\n`)
  })
}
