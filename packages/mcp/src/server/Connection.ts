/**
 * One connection or session with a client, as its server keeps it.
 *
 * A connection answers the calls that its host brings: a `Peer` over a transport,
 * or an HTTP server with a session. It looks at each request by itself: one with
 * the modern envelope is served without a thought of the ones before it, any other
 * by what `initialize` has agreed on. Both may come over the same connection.
 *
 * ```ts
 * import { McpServer } from "@parley/mcp"
 * import type { Connection } from "@parley/mcp/server/Connection"
 * import { Peer } from "@parley/peer"
 * import type { Transport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * // Serves one connection of a host of your own, as `McpServer.serveWith` does.
 * export const serve = Effect.fnUntraced(function*(transport: Transport.Transport, principal: string) {
 *   const server = yield* McpServer.McpServer
 *   const connection: Connection = server.connect({ peer: () => peer, caller: { principal, scopes: "all" } })
 *   const peer: Peer.Peer = yield* Peer.make(transport, connection)
 *   yield* peer.disconnected
 *   yield* connection.close
 * })
 * ```
 *
 * @since 0.1.0
 */
import type { Caller } from "@parley/peer/Caller"
import type { Call } from "@parley/peer/Handler"
import type { Lookup } from "@parley/peer/Handler"
import type { Dialect } from "@parley/protocol/Dialect"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CallerInfo } from "../McpContext.ts"
import { ClientCapabilities, Implementation } from "../payload/Capabilities.ts"
import { LogLevel } from "../payload/LogLevel.ts"
import type { Envelope, Refused } from "../wire/Envelope.ts"
import type { Network } from "../wire/Network.ts"
import { type Era, Revision } from "../wire/Revision.ts"
import type { RevisionCodec } from "../wire/RevisionCodec.ts"

/**
 * The state of a legacy connection as JSON, from which another process can go on with it.
 *
 * @category models
 * @since 0.1.0
 */
export const ConnectionRecord = Schema.Struct({
  /** The revision that `initialize` has agreed on; absent before it. */
  revision: Schema.optionalKey(Revision),
  clientInfo: Schema.optionalKey(Implementation),
  clientCapabilities: Schema.optionalKey(ClientCapabilities),
  /** Whether the client has said that it is ready for messages that answer none of its own. */
  ready: Schema.Boolean,
  /** The least important messages that the client wants to be sent; absent where it has not said. */
  logLevel: Schema.optionalKey(LogLevel),
  /** The resources whose changes the client wants to hear of. */
  subscriptions: Schema.Array(Schema.String),
  /** Digests of the lists that the client was told of last: a process with other lists tells it that they have changed. */
  lists: Schema.optionalKey(
    Schema.Struct({ tools: Schema.String, prompts: Schema.String, resources: Schema.String })
  )
})

/** @category models @since 0.1.0 */
export type ConnectionRecord = typeof ConnectionRecord.Type

/**
 * The options of `McpServer.connect`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ConnectOptions {
  /**
   * The other side, for messages that belong to no request: changes of lists and resources in the legacy era. Without
   * it, they are not sent. What belongs to a request goes by the `peer` of its call.
   */
  readonly peer?: Caller | (() => Caller | undefined) | undefined
  /**
   * Tells whether the client reads what `peer` sends now. While it does not, a task keeps its questions back, and changes
   * are kept, each once, until `resume`. By default, the client reads.
   */
  readonly isRead?: (() => boolean) | undefined
  /** The record of an earlier connection, to go on with it. */
  readonly record?: ConnectionRecord | undefined
  /** Hears that what `record` gives has changed. */
  readonly onRecord?: ((record: ConnectionRecord) => void) | undefined
  /** The facts about the caller that the message of a call does not tell, such as the principal. */
  readonly caller?: CallerInfo | ((call: Call) => CallerInfo | undefined) | undefined
  /** Milliseconds between the last progress of a call and its result. None, by default. */
  readonly progressGap?: number | undefined
  /** The only era that is served. Both, by default. */
  readonly era?: Era | undefined
  /** The id of the session, for spans. */
  readonly session?: string | undefined
  /** The carrier of the messages, for spans and metrics. */
  readonly network?: Network | undefined
}

/**
 * What is known of a message that stands alone, as that of a POST does, before it is served.
 *
 * @category models
 * @since 0.1.0
 */
export interface AloneOptions {
  /** The envelope of a modern message, or why it was refused; `undefined` for a legacy one. */
  readonly envelope: Envelope | Refused | undefined
  /** The revision in which a legacy request is served; `undefined` for its handshake. */
  readonly protocolVersion?: Revision | undefined
  /** The caller, and what brought the message. */
  readonly caller: CallerInfo
  /** The carrier of the message, for spans and metrics. */
  readonly network: Network
}

/**
 * What serves one message that stands alone.
 *
 * @category models
 * @since 0.1.0
 */
export interface Alone {
  /** Serves the message. */
  readonly router: Lookup
  /** How MCP uses JSON-RPC in its revision. */
  readonly dialect: Dialect
  /** Ends what its client listens to, in order. */
  readonly close: Effect.Effect<void>
}

/**
 * One connection or session.
 *
 * @category models
 * @since 0.1.0
 */
export interface Connection {
  /** Serves what the client sends. */
  readonly router: Lookup
  /** How MCP uses JSON-RPC. Its members follow the revision when that is known. */
  readonly dialect: Dialect
  /** The codec of the revision that `initialize` has agreed on. */
  readonly codec: () => RevisionCodec | undefined
  /** The state of the connection as JSON. */
  readonly record: () => ConnectionRecord
  /**
   * Asks for the subscriptions of `record` again, in the context of the request that brings the client back: what it may not
   * subscribe to any more is forgotten, and what nobody can answer for now, as for a server behind this one that is away, is
   * asked for when this runs again. Its calls are `from` that request. For a host to run before `resume`; it does nothing for
   * a connection that is new.
   */
  readonly restored: (from?: unknown) => Effect.Effect<void>
  /** The client reads again what `peer` sends: it is told of the changes that it has missed. */
  readonly resume: () => void
  /**
   * Ends what the client listens to, in order: each stream of changes gets its result. Nothing is sent after that which
   * belongs to no request.
   */
  readonly close: Effect.Effect<void>
}
