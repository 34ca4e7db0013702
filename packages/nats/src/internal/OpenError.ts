/** The error of a transport, an exchange or a service that cannot begin. */
import * as TransportError from "@parley/transport/TransportError"

/** @internal */
export const make = (cause: unknown): TransportError.TransportError => TransportError.make({ _tag: "Open", cause })
