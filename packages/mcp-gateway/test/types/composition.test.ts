import { expectTypeOf, it } from "@effect/vitest"
import * as McpGateway from "@parley/mcp-gateway/McpGateway"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import type { McpConnectError } from "@parley/mcp/client/McpClientError"
import type * as McpClient from "@parley/mcp/McpClient"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import type * as McpServer from "@parley/mcp/McpServer"
import type { Effect, Scope } from "effect"

const connect = (options: McpClient.ClientOptions) => McpMemoryClient.make(options)

it("an upstream requires what its connections require", () => {
  expectTypeOf(McpUpstream.make({ name: "a", connect })).toEqualTypeOf<
    Effect.Effect<McpUpstream.McpUpstream, never, McpServer.McpServer | Scope.Scope>
  >()
  expectTypeOf(McpUpstream.server({ name: "a", connect })).toEqualTypeOf<
    Effect.Effect<McpServer.McpServer, McpConnectError, McpServer.McpServer | Scope.Scope>
  >()
})

it("a gateway requires what those of all its servers require", () => {
  expectTypeOf(McpGateway.make({ name: "a", version: "1", servers: { a: { connect } } })).toEqualTypeOf<
    Effect.Effect<McpGateway.McpGateway<McpServer.McpServer>, never, McpServer.McpServer | Scope.Scope>
  >()
})
