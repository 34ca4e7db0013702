/** A gateway before a server whose list is large, and another one each time. */
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Effect } from "effect"
import { reach } from "./gateways.ts"

let count = 0

/** 4 MB of tools. */
const large = Effect.sync(() => {
  count++
  return Array.from({ length: 500 }, (_, index) => ({
    name: `tool${index}`,
    description: `${count} `.repeat(4_000),
    inputSchema: { type: "object" as const }
  }))
})

const program = Effect.gen(function*() {
  const features = [McpTool.make("one", {}, () => Effect.succeed(""))]
  const far = yield* McpServer.make({ name: "far", version: "1", features })
  const gateway = yield* McpGateway.make({
    name: "gateway",
    version: "1",
    servers: {
      far: {
        connect: (options) => Effect.map(reach(far)(options), (client) => ({ ...client, listTools: () => large }))
      }
    }
  })
  const client = yield* Effect.provideService(
    McpMemoryClient.make({ name: "test", version: "1", cacheSize: 0 }),
    McpServer.McpServer,
    gateway
  )
  yield* client.listTools()
  while (count < 30) {
    yield* far.listChanged("tools")
    yield* Effect.sleep("5 millis")
    yield* client.listTools()
  }
})

await Effect.runPromise(Effect.scoped(program))
