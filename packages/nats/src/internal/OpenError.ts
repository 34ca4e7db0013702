/** The error of a transport, an exchange or a service that cannot begin. */
import * as Transport from "@parley/transport/Transport"

/** @internal */
export const make = (cause: unknown): Transport.TransportError => Transport.transportError({ _tag: "Open", cause })
