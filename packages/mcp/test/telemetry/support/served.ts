/** A server whose tools have spans of their own. */
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Effect } from "effect"

export const served = McpServer.make({
  name: "tools",
  version: "1",
  metrics: true,
  features: [
    McpTool.make("add", {}, () => Effect.succeed("3").pipe(Effect.withSpan("sum"))),
    McpTool.make("fail", {}, () => Effect.fail("private text")),
    McpTool.make("refuse", {}, () => Effect.fail(ErrorResponse.make(1001, "Insufficient funds")))
  ]
})
