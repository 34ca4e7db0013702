/**
 * The official SDK, version 1, as its documentation uses it.
 */
import { Client as SdkClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { z } from "zod"
import { serve } from "../floor/wires.ts"
import type { Client, Command } from "../Subject.ts"
import * as echo from "./echo.ts"

const makeServer = (tools: number): McpServer => {
  const server = new McpServer(echo.identity)
  for (const name of echo.namesOf(tools)) {
    server.registerTool(
      name,
      { description: echo.description, inputSchema: { text: z.string() } },
      ({ text }) => ({ content: [{ type: "text", text }] })
    )
  }
  return server
}

const connect = async (transport: Transport): Promise<Client> => {
  const client = new SdkClient(echo.identity)
  await client.connect(transport)
  const params = { name: "echo", arguments: { text: echo.text } }
  return echo.clientOf(() => client.callTool(params), () => client.close())
}

export const openPair = async (): Promise<Client> => {
  const [near, far] = InMemoryTransport.createLinkedPair()
  await makeServer(1).connect(far)
  return connect(near)
}

export const serveStdio = (): void => void makeServer(1).connect(new StdioServerTransport())

export const connectStdio = ({ args, command }: Command): Promise<Client> =>
  connect(new StdioClientTransport({ command, args: [...args] }))

/** Its own types of optional members are looser than those of the interface that it implements. */
const asTransport = (transport: StreamableHTTPServerTransport | StreamableHTTPClientTransport): Transport =>
  transport as Transport

/** Without sessions: as its documentation says, all is made anew for each request. */
export const serveHttp = (tools: number): Promise<number> =>
  serve(createServer((request, response) => {
    const server = makeServer(tools)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    response.on("close", () => {
      void transport.close()
      void server.close()
    })
    void server.connect(asTransport(transport)).then(() => transport.handleRequest(request, response))
  }))

/** With sessions, each of which has a server. */
export const serveSessions = (tools: number): Promise<number> => {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const begin = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport)
    })
    transport.onclose = () => void sessions.delete(transport.sessionId ?? "")
    await makeServer(tools).connect(asTransport(transport))
    await transport.handleRequest(request, response)
  }
  return serve(createServer((request, response) => {
    const transport = sessions.get(String(request.headers["mcp-session-id"]))
    void (transport === undefined ? begin(request, response) : transport.handleRequest(request, response))
  }))
}

export const connectHttp = (port: number): Promise<Client> =>
  connect(asTransport(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`))))
