/**
 * The official SDK, version 2, as its documentation uses it.
 */
import { Client as SdkClient, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, InMemoryTransport, McpServer } from "@modelcontextprotocol/server"
import { serveStdio as serveSdkStdio } from "@modelcontextprotocol/server/stdio"
import { createServer, type RequestListener } from "node:http"
import { z } from "zod"
import { serve } from "../floor/wires.ts"
import type { Client, Command } from "../Subject.ts"
import * as echo from "./echo.ts"

const inputSchema = z.object({ text: z.string() })

const makeServer = (tools: number): McpServer => {
  const server = new McpServer(echo.identity)
  for (const name of echo.namesOf(tools)) {
    server.registerTool(
      name,
      { description: echo.description, inputSchema },
      ({ text }) => ({ content: [{ type: "text", text }] })
    )
  }
  return server
}

const connect = async (transport: Transport, revision: echo.Revision): Promise<Client> => {
  const mode = revision === echo.modern ? { pin: echo.modern } : "legacy"
  const client = new SdkClient(echo.identity, { versionNegotiation: { mode } })
  await client.connect(transport)
  const params = { name: "echo", arguments: { text: echo.text } }
  return echo.clientOf(() => client.callTool(params), () => client.close())
}

export const openPair = async (revision: echo.Revision): Promise<Client> => {
  const [near, far] = InMemoryTransport.createLinkedPair()
  // What serves stdio serves the newest revision over any transport; `connect` does not.
  if (revision === echo.modern) serveSdkStdio(() => makeServer(1), { transport: far })
  else await makeServer(1).connect(far)
  return connect(near, revision)
}

export const serveStdio = (): void => void serveSdkStdio(() => makeServer(1))

export const connectStdio = ({ args, command }: Command, revision: echo.Revision): Promise<Client> =>
  connect(new StdioClientTransport({ command, args: [...args] }), revision)

export const serveHttp = (tools: number): Promise<number> => {
  const handle = toNodeHandler(createMcpHandler(() => makeServer(tools), { responseMode: "json" }))
  // Its own types of optional members are stricter than those of Node.
  return serve(createServer(handle as RequestListener))
}

export const connectHttp = (port: number, revision: echo.Revision): Promise<Client> =>
  connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)), revision)
