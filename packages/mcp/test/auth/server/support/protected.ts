/** A protected server of MCP. */
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpError from "@parley/mcp/wire/McpError"
import { AccessToken } from "@parley/oauth/AccessToken"
import * as Handshake from "@parley/transport/Handshake"
import { Effect, Option, Schema } from "effect"

/** Features with scopes, and how often their handlers have run. */
export const features = Effect.fnUntraced(function*(options: Partial<McpServer.ServerOptions> = {}) {
  let runs = 0
  const run = <A>(value: A) => Effect.sync(() => (runs++, value))
  const server = yield* McpServer.make({
    name: "protected",
    version: "1",
    ...options,
    features: [
      McpTool.make("open", {}, () => run("open")),
      McpTool.make("write", { scopes: ["files:write"] }, () => run("written")),
      McpTool.make(
        "dear",
        { params: { euros: Schema.Finite } },
        ({ euros }) => euros > 10 ? Effect.fail(McpError.insufficientScope(["payments"])) : run("paid")
      ),
      McpTool.make("whoami", {}, (_, call) =>
        Effect.map(Handshake.principal(AccessToken), (token) =>
          JSON.stringify([
            call.principal,
            Option.map(token, ({ clientId }) => clientId).pipe(Option.getOrNull),
            call.header("authorization") ?? null
          ]))),
      McpResource.make("file:///secret", { name: "secret", scopes: ["files:read", "files:write"] }, () => run("42")),
      McpResource.template("file:///of/{user}", { name: "own", scopes: ["files:read"] }, () => run("43")),
      McpPrompt.make("plan", { scopes: ["files:read"] }, () => run("Plan."))
    ]
  })
  return { server, runs: () => runs }
})
