/**
 * A client of a server that it starts: a process with MCP on its stdin and stdout.
 *
 * - The server is started again when it has ended: by the next call, or by a stream of changes. The wait between two
 *   starts grows with each process that ends early.
 * - A call that was under way when the server ended fails with `Disconnected`, since it may have happened.
 * - A session of the legacy era ends with its process. The next call makes a new one, and streams of changes go on in it.
 *
 * ```ts
 * import { McpClient, McpStdioClient } from "@parley/mcp"
 * import { NodeChildProcess } from "@parley/node"
 * import { Effect } from "effect"
 *
 * const client = McpStdioClient.layer({
 *   name: "me",
 *   version: "1.0.0",
 *   start: NodeChildProcess.makeTransport({
 *     command: "npx",
 *     args: ["-y", "@modelcontextprotocol/server-filesystem", "/srv"]
 *   })
 * })
 *
 * export const program = Effect.gen(function*() {
 *   const { callTool } = yield* McpClient.McpClient
 *   return yield* callTool("list_directory", { path: "/srv" })
 * }).pipe(Effect.provide(client))
 * ```
 *
 * @since 0.1.0
 */
import type { Disconnected } from "@parley/peer/CallerError"
import * as Reconnecting from "@parley/peer/Reconnecting"
import type { Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { McpConnectError } from "./client/McpClientError.ts"
import type * as McpClientTransport from "./client/McpClientTransport.ts"
import type { McpHandlers, Requirements } from "./client/McpHandlers.ts"
import type { ClientExtension, ExtensionRequirements } from "./extension/ClientExtension.ts"
import * as ProcessTransport from "./internal/client/process/ProcessTransport.ts"
import * as McpClient from "./McpClient.ts"

/**
 * The options of the process of a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface StdioOptions<R = never> {
  /** Starts the server, such as `NodeChildProcess.makeTransport` of `@parley/node`. It ends with the Scope. */
  readonly start: Effect.Effect<Transport, TransportError, R | Scope.Scope>
  /**
   * The time before a server that has ended is started again; `Reconnecting.backoff` by default. The schedule begins anew
   * after a server has run for five seconds. When the schedule ends, the server is not started any more.
   */
  readonly restart?: Schedule.Schedule<unknown> | undefined
}

/**
 * The options of a client of a process.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<
  H extends McpHandlers<unknown> = McpHandlers,
  R = never,
  X extends ClientExtension<unknown> = never
> extends McpClient.Options<H, X>, StdioOptions<R> {}

/**
 * A transport to a server that it starts, for `McpClient.make`. Fails with `Disconnected` where the first start fails.
 *
 * @category constructors
 * @since 0.1.0
 */
export const open = <R = never>(
  { restart = Reconnecting.backoff, start }: StdioOptions<R>
): McpClientTransport.Open<Disconnected, R> =>
(host) => ProcessTransport.open({ start, schedule: restart }, host)

/**
 * A client of a server that it starts. The effect succeeds when the handshake is done; the client and the server end
 * with the Scope.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  H extends McpHandlers<unknown> = McpHandlers,
  R = never,
  X extends ClientExtension<unknown> = never
>(
  options: Options<H, R, X>
): Effect.Effect<McpClient.McpClient, McpConnectError, Requirements<H> | ExtensionRequirements<X> | R | Scope.Scope> =>
  McpClient.make(open<R>(options), options)

/**
 * The client of a program that uses one server. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = <
  H extends McpHandlers<unknown> = McpHandlers,
  R = never,
  X extends ClientExtension<unknown> = never
>(
  options: Options<H, R, X>
): Layer.Layer<
  McpClient.McpClient,
  McpConnectError,
  Exclude<Requirements<H> | ExtensionRequirements<X> | R, Scope.Scope>
> => Layer.effect(McpClient.McpClient, make(options))
