/** A server of the official SDK, version 1, as its documentation makes one: over stdio, or over HTTP with sessions. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { z } from "zod"
import { listen } from "./listen.ts"

const make = (): McpServer => {
  const server = new McpServer({ name: "sdk-v1", version: "1.0.0" })
  server.registerTool(
    "add",
    {
      description: "Adds two numbers.",
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: { sum: z.number() },
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
    { argsSchema: { name: z.string() } },
    ({ name }) => ({ messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }] })
  )
  return server
}

/** Its own types of optional members are looser than those of the interface that it implements. */
const asTransport = (transport: StreamableHTTPServerTransport): Transport => transport as Transport

if (process.argv.includes("--http")) {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const server = createServer((request, response) => {
    const known = sessions.get(String(request.headers["mcp-session-id"]))
    if (known !== undefined) return void known.handleRequest(request, response)
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport)
    })
    transport.onclose = () => void sessions.delete(transport.sessionId ?? "")
    void make().connect(asTransport(transport)).then(() => transport.handleRequest(request, response))
  })
  listen(server, "http", "/mcp")
} else await make().connect(new StdioServerTransport())
