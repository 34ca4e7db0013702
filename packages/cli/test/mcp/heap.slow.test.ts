/** The command with a heap of 512 MB ends in order, whatever an MCP server sends. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { run } from "../../../node/test/support/littleMemory.ts"
import { bin } from "../Parley.ts"

/** A server of MCP whose list of tools has no end: page after page, of a tool with a description of 15 MiB each. */
const endless = Effect.acquireRelease(
  Effect.promise(async (): Promise<Server> => {
    let pages = 0
    const resultOf = (method: string) => {
      if (method === "initialize") {
        return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
      }
      if (method !== "tools/list") return {}
      const page = ++pages
      const description = "d".repeat(15 * 1024 * 1024)
      return {
        tools: [{ name: `t${page}`, description, inputSchema: { type: "object" } }],
        nextCursor: `c${page}`,
        ttlMs: 60_000
      }
    }
    const server = createServer(async (request, response) => {
      const parts: Array<Buffer> = []
      for await (const part of request) parts.push(part)
      if (request.method !== "POST") return void response.writeHead(405).end()
      const { id, method } = JSON.parse(String(Buffer.concat(parts)))
      if (id === undefined) return void response.writeHead(202).end()
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: resultOf(method) }))
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return server
  }),
  (server) => Effect.sync(() => server.closeAllConnections())
)

describe("with little memory", () => {
  it.live("a list of tools that has no end is refused for its weight", () =>
    Effect.gen(function*() {
      const server = yield* endless
      const { port } = Object(server.address())
      const list = yield* run(bin, "mcp", "list", `http://127.0.0.1:${port}/mcp`)
      yield* Effect.promise(() => once(list.child, "close"))
      assert.match(list.end() ?? "", /^2 null parley: .*the list takes more than 67108864 bytes/)
      server.close()
    }))
})
