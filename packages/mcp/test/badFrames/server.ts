/** A server over stdio whose frames have as many bytes as its argument says. */
import * as McpServer from "@parley/mcp/McpServer"
import * as NodeStdio from "@parley/node/NodeStdio"
import { Transport } from "@parley/transport/Transport"
import { Effect, References } from "effect"

const limits = { frame: Number(process.argv[2]) }

await Effect.gen(function*() {
  const server = yield* McpServer.make({ name: "bounded", version: "1", features: [] })
  const transport = yield* NodeStdio.makeTransport({ limits })
  return yield* McpServer.serveWith({ limits }).pipe(
    Effect.provideService(Transport, transport),
    Effect.provideService(McpServer.McpServer, server)
  )
}).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None"), Effect.runPromise)
