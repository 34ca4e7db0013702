/**
 * TCP as a client and as a listener, with TLS where it is asked for.
 *
 * Nagle's algorithm is off, and the connection stays half open: after the other
 * side has ended its input it still gets its answers.
 *
 * @since 0.1.0
 */
import type { Framing } from "@parley/protocol/Framing"
import type { Limits } from "@parley/protocol/Limits"
import { Listener } from "@parley/transport/Listener"
import { Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { authorityOf } from "./internal/accepting.ts"
import * as sockets from "./internal/sockets.ts"
import type { Tls } from "./Tls.ts"

/**
 * Where, and how.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** A name or an address. The default is `127.0.0.1`: only this machine. */
  readonly host?: string | undefined
  /** For a listener 0 picks a free one, which its `address` tells. */
  readonly port: number
  /** The default is `line`. */
  readonly framing?: Framing | undefined
  /** Encrypts the connection. The default is plain TCP. */
  readonly tls?: Tls | undefined
  /** `handshake` bounds connecting, `connections` those of a listener. */
  readonly limits?: Partial<Limits> | undefined
}

const placeOf = ({ host = "127.0.0.1", port }: Options) => ({ host, port, noDelay: true })

/**
 * Connects, and closes with the Scope. Fails with `Open` when nobody answers, or with a certificate that is not trusted.
 *
 * A server that does not trust ours closes the connection after the handshake (TLS 1.3), so that is `EndOfInput` or
 * `Lost` for who reads.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeTransport = (
  options: Options
): Effect.Effect<Transport["Service"], TransportError, Scope.Scope> => sockets.connect(placeOf(options), options)

/**
 * A connection that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerTransport = (options: Options): Layer.Layer<Transport, TransportError> =>
  Layer.effect(Transport, makeTransport(options))

/**
 * Listens until the Scope closes. Its address is of the form `tcp://127.0.0.1:41234`, with TLS `tls://…`. Fails with
 * `Open` when the port is taken, or with a certificate that is missing or cannot be read.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = (
  options: Options
): Effect.Effect<Listener["Service"], TransportError, Scope.Scope> =>
  sockets.listen(
    placeOf(options),
    options,
    (server) => `${options.tls === undefined ? "tcp" : "tls"}://${authorityOf(server)}`
  )

/**
 * A listener that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options: Options): Layer.Layer<Listener, TransportError> =>
  Layer.effect(Listener, makeListener(options))
