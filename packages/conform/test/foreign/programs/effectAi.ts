/** A server of `effect/ai`, as its documentation makes one: over stdio or HTTP, for both eras. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { createServer } from "node:http"

const tools = Toolkit.make(
  Tool.make("add", {
    description: "Adds two numbers.",
    parameters: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
    success: Schema.Struct({ sum: Schema.Finite })
  }).annotate(Tool.Readonly, true)
)
const registrations = Layer.mergeAll(
  Layer.provide(McpServer.toolkit(tools), tools.toLayer({ add: ({ a, b }) => Effect.succeed({ sum: a + b }) })),
  McpServer.resource({
    uri: "text://greeting",
    name: "greeting",
    mimeType: "text/plain",
    content: Effect.succeed("hello")
  }),
  McpServer.prompt({
    name: "greet",
    parameters: { name: Schema.String },
    content: ({ name }) => Effect.succeed(`Greet ${name}`)
  })
)
const options = {
  name: "effect",
  version: "1.0.0",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
  registrations
} as const

const http = () => {
  const node = createServer()
  node.on("listening", () => {
    const address = node.address()
    if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}/mcp`)
  })
  const endpoint = McpServer.layerHttp({ ...options, path: "/mcp" })
  return HttpRouter.serve(endpoint, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provide(NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1" }))
  )
}

const served = process.argv.includes("--http")
  ? http()
  : Layer.provide(McpServer.layerStdio(options), NodeStdio.layer)

await Effect.runPromise(Layer.launch(Layer.provide(served, Logger.layer([]))))
