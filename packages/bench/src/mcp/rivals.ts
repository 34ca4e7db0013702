/**
 * `mcp-lite` and `tmcp`, servers over HTTP, and the floor: a hand-written server that knows one answer.
 */
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod"
import { HttpTransport } from "@tmcp/transport-http"
import { McpServer as LiteServer, StreamableHttpTransport } from "mcp-lite"
import { createServer } from "node:http"
import { McpServer as TmcpServer } from "tmcp"
import { z } from "zod"
import { serve } from "../floor/wires.ts"
import * as echo from "./echo.ts"
import { serveWeb } from "./webHost.ts"

const schema = z.object({ text: z.string() })

export const serveLite = (tools: number): Promise<number> => {
  const server = new LiteServer({
    ...echo.identity,
    // It is given what the tools below are.
    schemaAdapter: (given) => z.toJSONSchema(given as z.ZodType)
  })
  for (const name of echo.namesOf(tools)) {
    server.tool(name, {
      description: echo.description,
      inputSchema: schema,
      handler: ({ text }) => ({ content: [{ type: "text", text }] })
    })
  }
  return serveWeb(new StreamableHttpTransport().bind(server))
}

export const serveTmcp = (tools: number): Promise<number> => {
  const server = new TmcpServer(echo.identity, {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: { tools: {} }
  })
  for (const name of echo.namesOf(tools)) {
    server.tool(
      { name, description: echo.description, schema },
      ({ text }) => ({ content: [{ type: "text", text }] })
    )
  }
  const transport = new HttpTransport(server, { path: "/mcp" })
  return serveWeb((request) => transport.respond(request))
}

interface Question {
  readonly id: number
  readonly params: { readonly arguments: { readonly text: string } }
}

/** Answers a call of the tool, whatever was asked. */
export const serveFloor = (): Promise<number> =>
  serve(createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      // What our own raw client sends.
      const { id, params } = JSON.parse(Buffer.concat(chunks).toString()) as Question
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id,
        result: { content: [{ type: "text", text: params.arguments.text }] }
      })
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
      response.end(body)
    })
  }))
