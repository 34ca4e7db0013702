/**
 * The server that has everything, over Streamable HTTP.
 */
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as McpHttp from "@parley/mcp/McpHttp"
import type * as McpServer from "@parley/mcp/McpServer"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** The endpoint. Clients in a browser, such as an inspector, may be pages of this machine. */
export const make = (server: McpServer.McpServer): Effect.Effect<HttpEndpoint, never, Scope.Scope> =>
  McpHttp.endpoint(server, { access: { origins: "loopback" } })
