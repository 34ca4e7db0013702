/** A server over stdio with one tool. */
import { McpServer, McpTool } from "@parley/mcp"
import { NodeStdio } from "@parley/node"
import { Effect, Layer, Schema } from "effect"

const server = McpServer.layer({
  name: "echo",
  version: "1",
  features: [McpTool.make("echo", { params: { text: Schema.String } }, ({ text }) => Effect.succeed(text))]
})

await Effect.runPromise(Effect.provide(McpServer.serve, Layer.merge(server, NodeStdio.layerTransport())))
