/**
 * TCP as a client and as a listener.
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
import type { Server } from "node:net"
import * as sockets from "./internal/sockets.ts"

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
  /** `handshake` bounds connecting, `connections` those of a listener. */
  readonly limits?: Partial<Limits> | undefined
}

const placeOf = ({ host = "127.0.0.1", port }: Options) => ({ host, port, noDelay: true })

/**
 * Connects, and closes with the Scope. Fails with `Open` when nobody answers.
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
 * Listens until the Scope closes. Its address is of the form `tcp://127.0.0.1:41234`. Fails with `Open` when the port
 * is taken.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeListener = (
  options: Options
): Effect.Effect<Listener["Service"], TransportError, Scope.Scope> =>
  sockets.listen(placeOf(options), options, addressOf)

/**
 * A listener that lasts as long as the Layer. A new Layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerListener = (options: Options): Layer.Layer<Listener, TransportError> =>
  Layer.effect(Listener, makeListener(options))

const addressOf = (server: Server): string => {
  const address = server.address()
  if (address === null || typeof address === "string") return "tcp:"
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address
  return `tcp://${host}:${address.port}`
}
