/**
 * What carries the messages of a connection, in the words of OpenTelemetry: spans and metrics name it.
 *
 * @since 0.1.0
 */

/**
 * What is known of it. Members that are absent are not told.
 *
 * @category models
 * @since 0.1.0
 */
export interface Network {
  /** `pipe` for stdio, `tcp` for HTTP. */
  readonly transport?: "pipe" | "tcp" | "quic" | "unix" | undefined
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

/** WebSocket. @category networks @since 0.1.0 */
export const webSocket: Network = { transport: "tcp", protocol: "websocket" }
