/**
 * A server behind a gateway has escapes in each text that it sends. The sink of the log, which all tests have, finds what
 * was logged of them as it came.
 */
import { assert, describe, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Effect, Logger, References } from "effect"
import { clientOf, named, pairs } from "./support/pairs.ts"

/** What drives a terminal, ends a line, turns text around, and is not seen. */
const hostile = "x\u001b]0;t\u0007\u009b2J\u202e\u200b\u2028\u{e0041}\r\n[00:00:00.000] INFO (#1): forged"

const settled = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow)

/** Another server may name a tool as it likes. */
const renamed = (tool: McpTool.McpTool): McpTool.McpTool => ({
  ...tool,
  info: { ...tool.info, name: `tool ${hostile}` }
})

const moved = (resource: McpResource.McpResource): McpResource.McpResource => ({
  ...resource,
  info: { ...resource.info, uri: `test://${hostile}` }
})

const doubled = (client: McpClient.McpClient): McpClient.McpClient => ({
  ...client,
  listTools: (options) => Effect.map(client.listTools(options), (tools) => [...tools, ...tools])
})

const features: ReadonlyArray<McpServer.Feature> = [
  renamed(
    McpTool.raw("tool", { description: hostile, inputSchema: { type: "object" } }, (_, call) =>
      Effect.gen(function*() {
        yield* call.log("error", hostile, hostile)
        yield* call.log("warning", { [hostile]: [hostile] })
        yield* call.progress({ progress: 1, total: 2, message: hostile })
        return yield* ErrorResponse.make(-32_000, hostile, { [hostile]: hostile })
      }))
  ),
  McpPrompt.make(`prompt ${hostile}`, { description: hostile }, () => Effect.succeed(hostile)),
  moved(McpResource.make("test://x", { name: hostile }, () => Effect.succeed(hostile)))
]

describe("escapes in each text of a server reach no log", () => {
  for (const pair of pairs) {
    it.effect(`between ${named(pair)}`, () => {
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      return Effect.gen(function*() {
        const server = yield* McpServer.make({ name: hostile, version: hostile, instructions: hostile, features })
        const connect: McpGateway.Member["connect"] = (options) =>
          Effect.provideService(
            McpMemoryClient.make({ ...options, protocolVersion: pair.far, limits: { drain: 0 } }),
            McpServer.McpServer,
            server
          )
        const gateway = yield* McpGateway.make({
          name: "gateway",
          version: "1",
          servers: {
            first: { connect },
            // It lists each tool twice.
            twice: { connect: (options) => Effect.map(connect(options), doubled) },
            pinned: { connect, pins: [] }
          }
        })
        const client = yield* clientOf(gateway, { protocolVersion: pair.near, logLevel: "debug" })
        assert.isNotEmpty(yield* client.listTools())
        assert.isNotEmpty(yield* client.listPrompts())
        assert.isNotEmpty(yield* client.listResources())
        yield* Effect.exit(client.callTool(`first_tool ${hostile}`))
        yield* Effect.exit(client.callTool(`pinned_tool ${hostile}`))
        yield* Effect.exit(client.readResource(`test://${hostile}`))
        yield* settled
        assert.isTrue(lines.some((line) => line.startsWith("there is a McpTool twice_tool x\\u001b")), lines.join("\n"))
        assert.isTrue(lines.some((line) => line.startsWith("nobody has approved the tool tool\\u0020x\\u001b")))
      }).pipe(
        Effect.provide(Logger.layer([logger])),
        Effect.provideService(References.MinimumLogLevel, "Trace")
      )
    })
  }
})
