/**
 * The carrier of the messages of a connection, in the words of OpenTelemetry: spans and metrics name it.
 *
 * ```ts
 * import { McpServer } from "@parley/mcp"
 * import * as Network from "@parley/mcp/wire/Network"
 * import { NodeUnix } from "@parley/node"
 * import { Effect } from "effect"
 *
 * const unix: Network.Network = { transport: "unix" }
 *
 * export const main = McpServer.listenWith({ network: unix }).pipe(
 *   Effect.provide(NodeUnix.layerListener({ path: "/run/clock.sock" }))
 * )
 * ```
 *
 * @since 0.1.0
 */

/**
 * The facts about a carrier. Spans and metrics leave out members that are absent.
 *
 * @category models
 * @since 0.1.0
 */
export interface Network {
  /** The transport: `pipe` for stdio, `tcp` for HTTP. */
  readonly transport?: "pipe" | "tcp" | "quic" | "unix" | undefined
  /** The protocol over the transport. */
  readonly protocol?: "http" | "websocket" | undefined
  /** The host of the server, as its client knows it. */
  readonly address?: string | undefined
  /** The port of the server, as its client knows it. */
  readonly port?: number | undefined
}

/** Standard input and output. @category networks @since 0.1.0 */
export const stdio: Network = { transport: "pipe" }

/** HTTP, unless it is known to be HTTP/3. @category networks @since 0.1.0 */
export const http: Network = { transport: "tcp", protocol: "http" }

/** A WebSocket over TCP. @category networks @since 0.1.0 */
export const webSocket: Network = { transport: "tcp", protocol: "websocket" }
