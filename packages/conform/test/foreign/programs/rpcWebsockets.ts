/** A server of rpc-websockets. */
import { Server } from "rpc-websockets"

const server = new Server({ port: 0, host: "127.0.0.1" })
server.register("add", (params) => Object.values(params).reduce<number>((sum, one) => sum + Number(one), 0))
server.on("listening", () => {
  const address = server.wss.address()
  if (typeof address === "object" && address !== null) console.log(`ws://127.0.0.1:${address.port}`)
})
