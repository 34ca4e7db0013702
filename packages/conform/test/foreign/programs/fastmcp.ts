/** A server of fastmcp, as its documentation makes one. It listens where the flag `--import` of the tests makes it. */
import { FastMCP } from "fastmcp"
import { z } from "zod"

const server = new FastMCP({ name: "fastmcp", version: "1.0.0" })
server.addTool({
  name: "add",
  description: "Adds two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  annotations: { readOnlyHint: true },
  execute: async ({ a, b }) => String(a + b)
})
server.addResource({
  uri: "text://greeting",
  name: "greeting",
  mimeType: "text/plain",
  load: async () => ({ text: "hello" })
})
server.addPrompt({
  name: "greet",
  arguments: [{ name: "name", required: true }],
  load: async ({ name }) => `Greet ${name}`
})

await server.start(
  process.argv.includes("--http")
    ? { transportType: "httpStream", httpStream: { port: 1, host: "127.0.0.1" } }
    : { transportType: "stdio" }
)
