/**
 * The options of WebSocket clients and listeners.
 */
import type * as Access from "@parley/transport/host/Access"
import type * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import type { Tls } from "../Tls.ts"

/** @see NodeWebSocket, which publishes it */
export interface ListenerOptions extends WebSocketTransport.Options {
  /** A name or an address. The default is `127.0.0.1`: only this machine. */
  readonly host?: string | undefined
  /** Port 0 picks a free port, which the listener has as its `port`. */
  readonly port: number
  /** The default is `/`. */
  readonly path?: string | undefined
  readonly tls?: Tls | undefined
  /**
   * The allowed hosts and origins. The default for connections from loopback is the names of this machine, and no page of
   * a browser; for other connections it is any.
   */
  readonly access?: Access.Options | undefined
  /** The known subprotocols. The first one that the client offers is chosen. */
  readonly protocols?: ReadonlyArray<string> | undefined
}

/** The options of a client beside its URL. */
export interface ClientOptions extends WebSocketTransport.Options {
  readonly tls?: Tls | undefined
  /** Subprotocols, the preferred one first. */
  readonly protocols?: ReadonlyArray<string> | undefined
  /** Headers of the upgrade request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}
