/** The server of `offered.ts` on the stdio of a process of its own, which speaks the revisions of an era if it is given one. */
import * as McpServer from "@parley/mcp/McpServer"
import * as Revision from "@parley/mcp/wire/Revision"
import * as NodeStdio from "@parley/node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as offered from "./offered.ts"

const [, , era] = process.argv
const made = era === "legacy" || era === "modern" ? offered.makeOf(Revision.ofEra(era)) : offered.make

const served = Layer.mergeAll(Layer.effect(McpServer.McpServer, made), NodeStdio.layerTransport())

/** Long enough for clients that share their processors with other tests. */
const progressGap = "500 millis"

await Effect.runPromise(Effect.provide(McpServer.serveWith({ progressGap }), served))
