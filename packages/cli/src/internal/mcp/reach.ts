/**
 * Reaches a server over the wire of its endpoint, with the tokens that `parley mcp login` keeps.
 */
import type { McpConnectError } from "@parley/mcp/client/McpClientError"
import * as McpClientTransport from "@parley/mcp/client/McpClientTransport"
import type { McpHandlers } from "@parley/mcp/client/McpHandlers"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpStdioClient from "@parley/mcp/McpStdioClient"
import * as Revision from "@parley/mcp/wire/Revision"
import type { ClientAuthorization } from "@parley/oauth/ClientAuthorization"
import type * as Limits from "@parley/protocol/Limits"
import type { Transport, TransportError } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Endpoint from "../Endpoint.ts"
import * as Watch from "../tap/Watch.ts"
import * as connect from "../wire/connect.ts"
import type { Wire } from "../wire/Wire.ts"
import * as SilentServers from "./SilentServers.ts"

export interface Options {
  /** How to get tokens; from the store where it is absent. */
  readonly auth?: ClientAuthorization | undefined
  /** The bounds of the connection. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /** Sees the traffic; nobody does where it is absent. */
  readonly watch?: Watch.Watch | undefined
  /** How a command is started, in place of the usual way. */
  readonly start?: ((endpoint: Endpoint.Command) => Start) | undefined
}

/** Starts a command. It ends with the Scope. */
export type Start = Effect.Effect<Transport, TransportError, Scope.Scope>

/** Makes clients of the server at an endpoint. */
export const clientOf = (wire: Wire, { auth, limits, start, watch = Watch.none }: Options = {}) =>
<R = never>(
  own: McpClient.ClientOptions<McpHandlers<R>>
): Effect.Effect<McpClient.McpClient, McpConnectError | TransportError, R | Scope.Scope> => {
  const options = { ...own, limits }
  // A server of MCP has something to say by itself, so on a subject of NATS it is reached by a conversation.
  const endpoint = wire.endpoint._tag === "Nats"
    ? { ...wire.endpoint, _tag: "NatsConversation" as const }
    : wire.endpoint
  switch (endpoint._tag) {
    case "Http":
      return Effect.gen(function*() {
        // A server over stdio needs none of them, and does not wait for them.
        const [NodeHttp, McpHttpClient, tokens] = yield* Effect.promise(() =>
          Promise.all([
            import("@parley/node/NodeHttp"),
            import("@parley/mcp/McpHttpClient"),
            import("./account/tokens.ts")
          ])
        )
        const fetcher = yield* NodeHttp.makeFetcher({ limits, tls: { ca: wire.ca } })
        return yield* McpHttpClient.make(watch.fetcher(fetcher, endpoint.url), {
          ...options,
          url: endpoint.url,
          headers: wire.headers,
          // A credential on the command line replaces the stored tokens.
          auth: Object.hasOwn(wire.headers, "authorization") ? undefined : auth ?? tokens.authorization()
        })
      })
    case "Command":
      return ofCommand(endpoint, {
        ...options,
        start: Effect.flatMap(
          start === undefined ? connect.transport({ ...wire, endpoint }, limits) : start(endpoint),
          watch.wrapping
        )
      })
    default:
      return Effect.flatMap(
        Effect.flatMap(connect.transport({ ...wire, endpoint }, limits), watch.wrapping),
        (transport) => McpClient.make(McpClientTransport.fromTransport(transport), options)
      )
  }
}

/** A client of a server that it starts in a folder. One that was silent to a newer first message is not waited for again. */
export const ofCommand = <R>(
  endpoint: Pick<Endpoint.Command, "args" | "command">,
  options: McpStdioClient.McpStdioClientOptions<McpHandlers<R>>,
  folder?: string
): Effect.Effect<McpClient.McpClient, McpConnectError, R | Scope.Scope> =>
  Effect.gen(function*() {
    const key = SilentServers.keyOf(endpoint, folder)
    if (!(yield* SilentServers.has(key))) {
      let isSilent = false
      const onSilent = () => {
        isSilent = true
      }
      const client = yield* McpStdioClient.make({ ...options, onSilent })
      if (isSilent) yield* SilentServers.add(key)
      return client
    }
    const client = yield* Effect.tapError(
      McpStdioClient.make({ ...options, probe: 0 }),
      () => SilentServers.remove(key)
    )
    if (Revision.era(client.protocolVersion) === "modern") yield* SilentServers.remove(key)
    return client
  })
