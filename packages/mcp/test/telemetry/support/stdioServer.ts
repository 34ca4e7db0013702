/** The server of `served.ts` on the stdio of a process of its own, which exports to the URL that it is given. */
import * as McpServer from "@parley/mcp/McpServer"
import * as NodeStdio from "@parley/node/NodeStdio"
import { Effect, Layer } from "effect"
import { exported } from "./collector.ts"
import { served } from "./served.ts"

const [, , url = ""] = process.argv

const server = Layer.merge(Layer.effect(McpServer.McpServer, served), NodeStdio.layerTransport())

await Effect.runPromise(Effect.provide(McpServer.serve, Layer.provideMerge(server, exported(url, "tools"))))
