/** The server of `offered.ts` on the stdio of a process of its own. */
import * as McpServer from "@parley/mcp/McpServer"
import * as NodeStdio from "@parley/node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as offered from "./offered.ts"

const served = Layer.mergeAll(Layer.effect(McpServer.McpServer, offered.make), NodeStdio.layerTransport())

/** Long enough for clients that share their processors with other tests. */
const progressGap = "500 millis"

await Effect.runPromise(Effect.provide(McpServer.serveWith({ progressGap }), served))
