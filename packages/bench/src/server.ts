/**
 * The serving side of one subject, in a child process or a thread: `node server.ts tcp/parley`, and over a Unix socket
 * its path.
 */
import { find } from "./subjects.ts"

const [name = "", path = ""] = process.argv.slice(2)

/** Says where, afterwards what processor time it has spent whenever it is asked, and ends with who has started it. */
const listening = (port?: number) => {
  process.send?.({ port })
  process.on("message", () => {
    const { system, user } = process.cpuUsage()
    process.send?.({ spent: user + system })
  })
  process.on("disconnect", () => process.exit())
}

const subject = await find(name)
switch (subject.wire) {
  case "mem":
  case "mcp-mem":
    throw new Error(`${name} has no serving side of its own`)
  case "stdio":
  case "mcp-stdio":
  case "mcp-stdio-raw":
  case "worker":
    subject.serve()
    break
  case "unix":
    await subject.serve(path)
    listening()
    break
  case "tcp":
  case "ws":
  case "http":
  case "redis":
  case "nats":
  case "mcp-http":
  case "mcp-http-50":
  case "mcp-http-list":
  case "mcp-client":
    listening(await subject.serve())
}
