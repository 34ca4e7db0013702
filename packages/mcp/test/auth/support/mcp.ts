/** A world whose resource server speaks MCP of the legacy era. */
import { Effect } from "effect"
import { listening as listens } from "../../../../oauth/test/support/listening.ts"
import type { World } from "../../../../oauth/test/support/World.ts"

export const mcp = (world: World): World => {
  world.answer = (method, id) => {
    if (method === "server/discover") return { status: 400 }
    const result = method === "initialize"
      ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "it", version: "1" } }
      : method === "tools/list"
      ? { tools: [{ name: "hello", inputSchema: { type: "object" } }] }
      : {}
    return { json: { jsonrpc: "2.0", id, result } }
  }
  return world
}

/** One that listens, for clients in processes of their own. */
export const listening = Effect.map(listens, mcp)
