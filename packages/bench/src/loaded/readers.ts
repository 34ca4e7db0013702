/**
 * So many connections that read everything, in a process of their own: `node readers.ts PORT COUNT`. It says so when all
 * are there, and when as many bytes have come in all as it was told to wait for.
 */
import { once } from "node:events"
import { connect } from "node:net"

const [port = "", count = ""] = process.argv.slice(2)

let read = 0
let awaited = Infinity

/** The bytes may come before it is said how many are waited for. */
const look = () => {
  if (read < awaited) return
  awaited = Infinity
  process.send?.("read")
}

for (let opened = 0; opened < Number(count); opened++) {
  const socket = connect(Number(port), "127.0.0.1")
  socket.on("data", ({ length }) => {
    read += length
    look()
  })
  await once(socket, "connect")
}

process.on("message", (bytes) => {
  awaited = Number(bytes)
  look()
})
process.send?.("open")
