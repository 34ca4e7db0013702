/**
 * A client of a server in the same process, for tests and for trying a server. Messages travel as text, as over any
 * other transport.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpMemoryClient.make({ name: "test", version: "1.0.0", protocolVersion: "2025-06-18" })
 *   console.log(client.serverInfo?.name, client.protocolVersion) // => greeter 2025-06-18
 *   console.log((yield* client.callTool("hello")).content) // => [ { type: 'text', text: 'Hello!' } ]
 * })
 *
 * const hello = McpTool.make("hello", { description: "Greets." }, () => Effect.succeed("Hello!"))
 * const server = McpServer.layer({ name: "greeter", version: "1.0.0", features: [hello] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import * as MemoryTransport from "@parley/transport/MemoryTransport"
import { Transport } from "@parley/transport/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { ClientExtension, ExtensionRequirements } from "./client/ClientExtension.ts"
import type { McpConnectError } from "./client/McpClientError.ts"
import * as McpClientTransport from "./client/McpClientTransport.ts"
import type { McpHandlers, Requirements } from "./client/McpHandlers.ts"
import * as McpClient from "./McpClient.ts"
import * as McpServer from "./McpServer.ts"
import type { Revision } from "./wire/Revision.ts"

/**
 * A transport to the server from the context, for `McpClient.make`. Its limits hold at both ends: with `drain: 0`,
 * closing waits for no clock.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open: McpClientTransport.Open<never, McpServer.McpServer> = (host) =>
  Effect.gen(function*() {
    const [near, far] = yield* MemoryTransport.makePair()
    const serving = Effect.provideService(McpServer.serveWith({ limits: host.limits, progressGap: 0 }), Transport, far)
    yield* Effect.forkScoped(serving, { startImmediately: true })
    return yield* McpClientTransport.fromTransport(near)(host)
  })

/**
 * A client of the server from the context. The effect succeeds when the handshake is done; the client ends with the
 * Scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  H extends McpHandlers<unknown> = McpHandlers,
  X extends ClientExtension<unknown> = never,
  V extends Revision | "auto" = "auto"
>(
  options: McpClient.ClientOptions<H, X> & McpClient.RevisionOption<V>
): Effect.Effect<
  McpClient.ClientOf<V>,
  McpConnectError,
  Requirements<H> | ExtensionRequirements<X> | McpServer.McpServer | Scope.Scope
> => McpClient.make<never, McpServer.McpServer, H, X, V>(open, options)

/**
 * The client of the server from the context. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <H extends McpHandlers<unknown> = McpHandlers, X extends ClientExtension<unknown> = never>(
  options: McpClient.ClientOptions<H, X>
): Layer.Layer<
  McpClient.McpClient,
  McpConnectError,
  Exclude<Requirements<H> | ExtensionRequirements<X>, Scope.Scope> | McpServer.McpServer
> => Layer.effect(McpClient.McpClient, make(options))
