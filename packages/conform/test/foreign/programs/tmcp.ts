/** A server of tmcp, as its documentation makes one: over stdio or HTTP. */
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod"
import { HttpTransport } from "@tmcp/transport-http"
import { StdioTransport } from "@tmcp/transport-stdio"
import { createServer } from "node:http"
import { McpServer } from "tmcp"
import { z } from "zod"
import { listen } from "./listen.ts"

const server = new McpServer({ name: "tmcp", version: "1.0.0" }, {
  adapter: new ZodJsonSchemaAdapter(),
  capabilities: { tools: {}, resources: {}, prompts: {} }
})
server.tool(
  {
    name: "add",
    description: "Adds two numbers.",
    schema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
    annotations: { readOnlyHint: true }
  },
  ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } })
)
server.resource(
  { name: "greeting", description: "Greets", uri: "text://greeting" },
  (uri) => ({ contents: [{ uri, text: "hello" }] })
)
server.prompt({ name: "greet", description: "Greets" }, () => ({
  messages: [{ role: "user", content: { type: "text", text: "hello" } }]
}))

// Where it throws instead of answering, nothing is answered.
process.on("unhandledRejection", () => undefined)

if (process.argv.includes("--http")) {
  const transport = new HttpTransport(server, { path: "/mcp" })
  listen(
    createServer((incoming, outgoing) =>
      void (async () => {
        const chunks: Array<Buffer> = []
        for await (const chunk of incoming) chunks.push(chunk)
        const { headers, method = "GET", url = "/" } = incoming
        const response = await transport.respond(
          new Request(new URL(url, `http://${headers.host}`), {
            method,
            headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
            ...(method === "POST" && { body: Buffer.concat(chunks) })
          })
        )
        if (response === null) return outgoing.writeHead(404).end()
        outgoing.writeHead(response.status, Object.fromEntries(response.headers))
        if (response.body !== null) { for await (const chunk of response.body) outgoing.write(chunk) }
        return outgoing.end()
      })().catch(() => outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(500).end())
    ),
    "http",
    "/mcp"
  )
} else new StdioTransport(server).listen()
