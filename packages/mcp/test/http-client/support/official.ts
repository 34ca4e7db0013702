/** Servers of the official SDKs, on `node:http` in this process. */
import * as v2Node from "@modelcontextprotocol/node"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import * as v2 from "@modelcontextprotocol/server"
import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import * as z from "zod"
import { eventStore, listening } from "../../support/official.ts"
import { signal } from "./scripted.ts"

export interface Sessions {
  readonly url: string
  /** The ids of the sessions that are open. */
  readonly open: () => ReadonlyArray<string>
  /** Forgets all sessions, as a restart does. */
  readonly restart: () => void
}

/** Version 1 with sessions, events to resume from and a tool for each thing that a stream can do. */
export const v1Sessions = (options: { readonly json?: boolean } = {}): Effect.Effect<Sessions, never, Scope.Scope> =>
  Effect.gen(function*() {
    const transports = new Map<string, StreamableHTTPServerTransport>()

    const opened = async () => {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        eventStore: eventStore(),
        retryInterval: 20,
        enableJsonResponse: options.json === true,
        onsessioninitialized: (id) => {
          transports.set(id, transport)
        },
        onsessionclosed: (id) => {
          transports.delete(id)
        }
      })
      const server = new McpServer({ name: "v1", version: "1" }, { capabilities: { logging: {} } })
      server.registerTool(
        "echo",
        { inputSchema: { text: z.string() } },
        ({ text }) => ({ content: [{ type: "text", text }] })
      )
      server.registerTool("roots", {}, async () => {
        const { roots } = await server.server.listRoots()
        return { content: [{ type: "text", text: `${roots.length} roots` }] }
      })
      server.registerTool("cut", {}, async (extra) => {
        extra.closeSSEStream?.()
        return { content: [{ type: "text", text: "behind the cut" }] }
      })
      server.registerTool("tell", {}, async () => {
        await server.sendToolListChanged()
        return { content: [] }
      })
      await server.connect(transport as Parameters<typeof server.connect>[0])
      return transport
    }

    const url = yield* listening(async (request, response) => {
      const id = request.headers["mcp-session-id"]
      const known = typeof id === "string" ? transports.get(id) : await opened()
      if (known === undefined) {
        const error = { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }
        response.writeHead(404, { "content-type": "application/json" }).end(JSON.stringify(error))
      } else await known.handleRequest(request, response)
    })
    return { url, open: () => [...transports.keys()], restart: () => transports.clear() }
  })

export interface BothEras {
  readonly url: string
  /** Waits until `slow` is called. */
  readonly began: Effect.Effect<void>
  /** Waits until a call of `slow` is aborted. */
  readonly aborted: Effect.Effect<void>
}

/** Version 2 with both eras on one endpoint, and a tool that asks for a header. */
export const v2Handler = (): Effect.Effect<BothEras, never, Scope.Scope> =>
  Effect.suspend(() => {
    const began = signal<void>()
    const aborted = signal<void>()
    const handler = v2.createMcpHandler(() => {
      const server = new v2.McpServer({ name: "v2", version: "2" })
      const inputSchema = v2.fromJsonSchema<{ readonly text: string }>({
        type: "object",
        properties: { text: { type: "string", ...{ "x-mcp-header": "Text" } } },
        required: ["text"]
      })
      server.registerTool("echo", { inputSchema }, ({ text }) => ({ content: [{ type: "text", text }] }))
      server.registerTool("slow", {}, (context) =>
        new Promise((_, reject) => {
          began.set()
          context.mcpReq.signal.addEventListener("abort", () => {
            aborted.set()
            reject(new Error("aborted"))
          })
        }))
      return server
    })
    const serve = v2Node.toNodeHandler(handler)
    // Its types are those of Node, less exact.
    const url = listening((request, response) => serve(request as never, response as never))
    return Effect.map(url, (url) => ({ url, began: began.wait, aborted: aborted.wait }))
  })
