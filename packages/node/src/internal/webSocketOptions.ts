/**
 * The options of WebSocket clients and listeners.
 */
import type { Access } from "@parley/http/shared"
import type * as Handshake from "@parley/transport/Handshake"
import type * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import type { Tls } from "./TlsOptions.ts"

/** @see NodeWebSocket, which publishes it */
export interface ListenerOptions extends RouteOptions {
  /** A name or an address. The default is `127.0.0.1`: only this machine. */
  readonly host?: string | undefined
  /** Port 0 picks a free port, which the listener has as its `port`. */
  readonly port: number
  /** Key and certificate of `wss`. */
  readonly tls?: Tls | undefined
}

/** The options of a listener beside its port. */
export interface RouteOptions extends WebSocketTransport.WebSocketOptions {
  /** The default is `/`. */
  readonly path?: string | undefined
  /**
   * The allowed hosts and origins. The default is no page of a browser, and for connections from loopback the names of
   * this machine; other connections may name any host.
   */
  readonly access?: Access.AccessOptions | undefined
  /**
   * Says who connects, or refuses it, before there is a connection. Handlers find who it is as `Handshake.Current`, and
   * by `Authentication.principal`. By default every client may connect, and has no principal.
   */
  readonly authorize?: Handshake.Authorize | undefined
  /** The known subprotocols. The first one that the client offers is chosen. */
  readonly protocols?: ReadonlyArray<string> | undefined
  /**
   * How many connections may come from one address, that of the socket. Without it one address may have all of them,
   * because behind a balancer or a proxy all clients have one.
   */
  readonly connectionsPerAddress?: number | undefined
}

/** The options of a client beside its URL. */
export interface ClientOptions extends WebSocketTransport.WebSocketOptions {
  /** The certificates of a `wss` URL: those to trust, and ours. */
  readonly tls?: Tls | undefined
  /** Subprotocols, the preferred one first. */
  readonly protocols?: ReadonlyArray<string> | undefined
  /** Headers of the upgrade request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}
