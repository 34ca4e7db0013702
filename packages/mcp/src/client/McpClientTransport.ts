/**
 * The transport of a client: it carries requests and notifications between the client and one server.
 * Over a duplex transport it is a `Peer`; over HTTP it is a session of exchanges.
 *
 * The transport owns how texts travel, and the id of a session where HTTP has one. The client owns what the texts say:
 * the handshake, the revision, `_meta`, results.
 *
 * ```ts run
 * import { McpClient, McpClientTransport, McpServer } from "@parley/mcp"
 * import { MemoryTransport, Transport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   yield* Effect.forkScoped(Effect.provideService(McpServer.serve, Transport.Transport, far))
 *   const client = yield* McpClient.make(McpClientTransport.fromTransport(near), { name: "me", version: "1.0.0" })
 *   console.log(client.serverInfo?.name) // => clock
 * })
 *
 * const server = McpServer.layer({ name: "clock", version: "1.0.0", features: [] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import type { AuthorizationError } from "@parley/oauth/AuthorizationError"
import type { Caller, CallError, CallOptions, DisconnectReason, NotifyError } from "@parley/peer/Caller"
import * as Peer from "@parley/peer/Peer"
import type { Router } from "@parley/peer/Router"
import type * as Dialect from "@parley/protocol/Dialect"
import type * as Limits from "@parley/protocol/Limits"
import * as Handshake from "@parley/transport/Handshake"
import type { Transport } from "@parley/transport/Transport"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ToolInfo } from "../payload/Listing.ts"
import type { Network } from "../wire/Network.ts"
import type { RevisionCodec } from "../wire/RevisionCodec.ts"
import type { CallClock } from "./CallClock.ts"
import type { SessionExpired } from "./McpClientError.ts"

/**
 * The options of one request.
 *
 * @category models
 * @since 0.1.0
 */
export interface TransportCallOptions extends CallOptions {
  /** The tool that is called, as it was listed: its input schema may ask for headers. */
  readonly tool?: ToolInfo | undefined
  /** The value of the header `Mcp-Name`, where the method is of an extension. */
  readonly name?: string | undefined
}

/**
 * The carrier of a client's messages. It decides what silence and an end of the server mean.
 *
 * - `connection`: one connection, whose end is the end of the client. A server that is silent may be an older one.
 * - `process`: as `connection`, but a server that has ended is started again. It may end because it is an older one.
 * - `http`: each request has a connection of its own, and repeats parts of its params in headers. Only an answer tells an
 *   older server.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = "connection" | "process" | "http"

/**
 * The transport between a client and one server.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpClientTransport {
  /**
   * Sends a request and waits for its response. Interruption cancels it on the other side. Fails with `SessionExpired`
   * when it carried the id of a session that the server knows no more.
   */
  readonly request: (
    method: string,
    params?: Schema.JsonObject | undefined,
    options?: TransportCallOptions | undefined
  ) => Effect.Effect<Schema.Json, AuthorizationError | CallError | SessionExpired>

  /** Sends a notification. */
  readonly notify: (
    method: string,
    params?: Schema.JsonObject | undefined
  ) => Effect.Effect<void, AuthorizationError | NotifyError | SessionExpired>

  /** Listens to the server's notifications of a method until the Scope closes. */
  readonly listen: Caller["listen"]

  /**
   * Takes the revision that was agreed on, before anything else is sent in it: in the legacy era between the result of
   * `initialize` and `notifications/initialized`. `undefined` forgets revision and session, before the handshake is
   * made again.
   */
  readonly settle: (codec: RevisionCodec | undefined) => Effect.Effect<void>

  /** The carrier of the messages. */
  readonly kind: Kind

  /** The carrier, for spans and metrics. Without it, they do not name one. */
  readonly network?: Network | undefined

  /** The id of the session, where there is one, for spans. */
  readonly session?: (() => string | undefined) | undefined

  /**
   * Identifies the sender of the next request, for example by a digest of its credentials: private results are cached
   * for one sender alone. Without it, all requests have one sender.
   */
  readonly identity?: Effect.Effect<string> | undefined

  /** Waits until no more requests can be made. Never ends where each request has a connection of its own. */
  readonly disconnected: Effect.Effect<DisconnectReason>
}

/**
 * The parts of a client that its transport needs.
 *
 * @category models
 * @since 0.1.0
 */
export interface Host {
  /** Answers the requests and notifications of the server. */
  readonly router: Router
  /** How MCP uses JSON-RPC. Its members follow the revision when that is known. */
  readonly dialect: Dialect.Dialect
  /** Bounds that differ from `Limits.defaults`. */
  readonly limits: Partial<Limits.Limits> | undefined
  /** How long a request waits where its options name no timeout. */
  readonly timeout: Duration.Input
  /** The time of the calls of the client. The transport stops it while a person is asked. */
  readonly clock: CallClock
  /**
   * The transport found, without a request of the client, that the session is over. The client makes the handshake
   * again; where that starts a process, only while somebody listens to changes.
   */
  readonly onSessionExpired: () => void
}

/**
 * Opens a transport for a client. It ends with the Scope.
 *
 * @category models
 * @since 0.1.0
 */
export type Open<E = never, R = never> = (host: Host) => Effect.Effect<McpClientTransport, E, R | Scope.Scope>

/**
 * A client transport over one duplex transport, such as a socket. For a server that the client starts,
 * `McpStdioClient.open` starts it again.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromTransport = (transport: Transport): Open => (host) =>
  // The server is not the client of the handler that may have opened this.
  Effect.provideService(Peer.make(transport, host), Handshake.Current, undefined).pipe(
    Effect.map((peer): McpClientTransport => ({
      request: peer.request,
      notify: peer.notify,
      listen: peer.listen,
      settle: () => Effect.void,
      kind: "connection",
      disconnected: peer.disconnected
    }))
  )
