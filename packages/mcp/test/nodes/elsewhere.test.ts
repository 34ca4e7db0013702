/**
 * A session whose request reaches another process than the one that has it: one behind a balancer, or one that was started
 * again. The official servers do not know it, and ours takes it up. Two servers without anything in common stand for the processes.
 */
import { assert, describe, it } from "@effect/vitest"
import { McpServer as V1Server } from "@modelcontextprotocol/sdk/server/mcp.js"
import { WebStandardStreamableHTTPServerTransport as V1Transport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"
import * as v2 from "@modelcontextprotocol/server"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as MeshNode from "@parley/mesh/MeshNode"
import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod"
import { HttpTransport } from "@tmcp/transport-http"
import { Effect, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { McpServer as TmcpServer } from "tmcp"

type Handle = (request: Request) => Response | null | Promise<Response | null>

const identity = { name: "other", version: "1.0.0" }

const v1 = async (): Promise<Handle> => {
  const transport = new V1Transport({ sessionIdGenerator: randomUUID })
  await new V1Server(identity).connect(transport)
  return (request) => transport.handleRequest(request)
}

const v2Official = async (): Promise<Handle> => {
  const transport = new v2.WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID })
  await new v2.McpServer(identity).connect(transport)
  return (request) => transport.handleRequest(request)
}

const tmcp = (): Promise<Handle> => {
  const server = new TmcpServer(identity, { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } })
  const transport = new HttpTransport(server, { path: "/mcp" })
  return Promise.resolve((request) => transport.respond(request))
}

const two = (make: () => Promise<Handle>) => Effect.promise(() => Promise.all([make(), make()]))

/** Ours, as two nodes of an engine. */
const ours: Effect.Effect<ReadonlyArray<Handle>, never, Scope.Scope> = Effect.gen(function*() {
  const engine = yield* MemoryNodes.makeEngine
  const journal = yield* MemoryNodes.makeJournal()
  const node = Effect.gen(function*() {
    const mesh = yield* Effect.orDie(MeshNode.make(engine))
    const server = yield* McpServer.make({ ...identity, features: [] })
    return yield* McpHttp.makeWebHandler(server, { mesh, journal })
  })
  return [yield* node, yield* node]
})

const post = (handle: Handle, message: object, session?: string) =>
  Effect.promise(async () => {
    const response = await handle(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          host: "localhost",
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...(session === undefined ? undefined : { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" })
        },
        body: JSON.stringify({ jsonrpc: "2.0", ...message })
      })
    )
    await response?.body?.cancel()
    return { status: response?.status, session: response?.headers.get("mcp-session-id") ?? undefined }
  })

const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "guest", version: "1.0.0" } }
}

describe("a request of a session that reaches another process", () => {
  for (
    const [name, servers, status] of [
      ["version 1 of the official SDK", two(v1), 404],
      ["version 2 of the official SDK", two(v2Official), 404],
      ["tmcp, which takes any session for one of its own,", two(tmcp), 200],
      ["ours", ours, 200]
    ] as const
  ) {
    it.live(`is answered ${status} by ${name}`, () =>
      Effect.gen(function*() {
        const [here, there] = yield* servers
        assert.isDefined(here)
        assert.isDefined(there)
        const { session } = yield* post(here, initialize)
        assert.isString(session)
        yield* post(here, { method: "notifications/initialized" }, session)
        // The other process has sessions, too.
        yield* post(there, initialize)
        assert.strictEqual((yield* post(there, { id: 2, method: "ping" }, session)).status, status)
      }))
  }
})
