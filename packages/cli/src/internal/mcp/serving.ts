/**
 * Serves an MCP server at a place: over stdio, a socket, WebSockets, HTTP or NATS.
 */
import type { HttpEndpoint } from "@parley/http/HttpEndpoint"
import * as McpServer from "@parley/mcp/McpServer"
import * as NodeStdio from "@parley/node/NodeStdio"
import { describe } from "@parley/peer/Caller"
import { Listener } from "@parley/transport/Listener"
import { Transport, type TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { at as happened, type CommandError, line } from "../terminal/CommandError.ts"
import { print } from "../terminal/output.ts"
import { listen, serveEndpoint } from "../wire/listen.ts"
import type * as Place from "../wire/Place.ts"

/** Serves until the input ends. `endpoint` makes the endpoint for HTTP, and `wrap` wraps the transport of stdio. */
export const at = (
  place: Place.Place,
  endpoint: (server: McpServer.McpServer) => Effect.Effect<HttpEndpoint, never, Scope.Scope>,
  wrap: (transport: Transport) => Transport = (transport) => transport
): Effect.Effect<void, CommandError | TransportError, McpServer.McpServer | Scope.Scope> => {
  switch (place._tag) {
    case "Stdio":
      return stdio(wrap)
    case "Http":
      return http(place, endpoint)
    default:
      return connections(place)
  }
}

const stdio = Effect.fnUntraced(function*(wrap: (transport: Transport) => Transport) {
  const transport = Effect.map(NodeStdio.makeTransport(), wrap)
  const reason = yield* Effect.provideServiceEffect(McpServer.serve, Transport, transport)
  if (reason._tag !== "EndOfInput") return yield* line(happened("stdin", describe(reason)))
})

const connections = Effect.fnUntraced(function*(place: Place.Duplex) {
  const listener = yield* listen(place, "line")
  yield* print(`listening ${listener.address}`)
  return yield* Effect.provideService(McpServer.listen, Listener, listener)
})

const http = Effect.fnUntraced(function*(place: Place.Http, make: Parameters<typeof at>[1]) {
  const endpoint = yield* make(yield* McpServer.McpServer)
  yield* print(`listening ${yield* serveEndpoint(place, endpoint)}`)
  return yield* Effect.never
})
