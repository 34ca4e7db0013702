/** A server of the official SDK, version 2, as its documentation makes one: over stdio or HTTP, for both eras. */
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { createServer, type RequestListener } from "node:http"
import { z } from "zod"
import { listen } from "./listen.ts"

const make = (): McpServer => {
  const server = new McpServer({ name: "sdk-v2", version: "1.0.0" })
  server.registerTool(
    "add",
    {
      description: "Adds two numbers.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true }
    },
    ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } })
  )
  server.registerResource(
    "greeting",
    "text://greeting",
    { mimeType: "text/plain" },
    (uri) => ({ contents: [{ uri: uri.href, text: "hello" }] })
  )
  server.registerPrompt(
    "greet",
    { argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }] })
  )
  return server
}

if (process.argv.includes("--http")) {
  // Its own types of optional members are stricter than those of Node.
  listen(createServer(toNodeHandler(createMcpHandler(make)) as RequestListener), "http", "/mcp")
} else serveStdio(make)
