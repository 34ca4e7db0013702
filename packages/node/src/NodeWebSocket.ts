/**
 * WebSockets as a client and as a listener, over the `ws` package.
 *
 * The listener is an HTTP server that does nothing but upgrade. Before a
 * connection exists it refuses what has another path (404), is no upgrade (426),
 * has a `Host` or `Origin` that is not allowed (403), knows only other
 * subprotocols (400), or is one too many (503). Messages are not compressed: a
 * bound on what a message may become would come too late.
 *
 * @since 0.1.0
 */
import type * as Access from "@parley/transport/Access"
import { Listener } from "@parley/transport/Listener"
import { Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import type * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as webSockets from "./internal/webSockets.ts"
import type { Tls } from "./Tls.ts"

/**
 * Where to connect to: a URL, or its parts. With `tls` the parts make a `wss:` URL.
 *
 * @category models
 * @since 0.1.0
 */
export type Place =
  | { readonly url: string }
  | {
    readonly url?: undefined
    /** The default is `127.0.0.1`: this machine. */
    readonly host?: string | undefined
    readonly port: number
    /** The default is `/`. */
    readonly path?: string | undefined
  }

/**
 * Where to connect to, and how.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientOptions = Place & WebSocketTransport.Options & {
  readonly tls?: Tls | undefined
  /** Subprotocols, the preferred one first. */
  readonly protocols?: ReadonlyArray<string> | undefined
  /** Headers of the upgrade request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Connects, and closes with the Scope. Fails with `Open` when nobody answers, the server refuses, or its certificate is
 * not trusted.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport = (
  options: ClientOptions
): Effect.Effect<Transport["Service"], TransportError, Scope.Scope> => webSockets.connect(urlOf(options), options)

/**
 * A connection that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (options: ClientOptions): Layer.Layer<Transport, TransportError> =>
  Layer.effect(Transport, makeTransport(options))

/**
 * Where to listen, and whom to let in.
 *
 * @category models
 * @since 0.1.0
 */
export interface ListenerOptions extends WebSocketTransport.Options {
  /** A name or an address. The default is `127.0.0.1`: only this machine. */
  readonly host?: string | undefined
  /** 0 picks a free one, which the listener's `address` tells. */
  readonly port: number
  /** The default is `/`. */
  readonly path?: string | undefined
  readonly tls?: Tls | undefined
  /** Hosts and origins that may connect. The default on loopback is this machine, and no page of a browser. */
  readonly access?: Access.Options | undefined
  /** Subprotocols that are known here. The client's first choice among them is taken. */
  readonly protocols?: ReadonlyArray<string> | undefined
}

/**
 * Listens until the Scope closes. Its address is of the form `ws://127.0.0.1:41234/path`, with TLS `wss://…`. Fails with
 * `Open` when the port is taken, or with a certificate that is missing or cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = (
  options: ListenerOptions
): Effect.Effect<Listener["Service"], TransportError, Scope.Scope> => webSockets.listen(options)

/**
 * A listener that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options: ListenerOptions): Layer.Layer<Listener, TransportError> =>
  Layer.effect(Listener, makeListener(options))

const urlOf = (options: ClientOptions): string => {
  if (options.url !== undefined) return options.url
  const { host = "127.0.0.1", path = "/", port, tls } = options
  return `${tls === undefined ? "ws" : "wss"}://${host.includes(":") ? `[${host}]` : host}:${port}${path}`
}
