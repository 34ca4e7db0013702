/**
 * The options of a WebSocket as a connection of texts.
 */
import type { Limits } from "@parley/protocol/Limits"
import type { Clock } from "effect/Clock"
import type { Budget } from "../shared/Budget.ts"
import type { Occupancy } from "../shared/Occupancy.ts"
import type * as TransportError from "./TransportError.ts"

/** @see WebSocketTransport, which publishes it */
export interface Unfinished {
  /**
   * Called once with a function that must be called after each read of the underlying connection, from the first frame
   * on, with its bytes: `(read) => tcp.on("data", read)`, once the WebSocket listens. Payloads may be unmasked in place.
   */
  readonly listen: (read: (bytes: Uint8Array) => void) => void
  /** A read is over, and its messages have been received. Returns the reason to end the connection, if there is one. */
  readonly read: (bytes: Uint8Array) => TransportError.TransportReason | undefined
  /** Reading pauses. */
  readonly wait: () => void
  /** The connection has ended, and keeps nothing any more. */
  readonly drop: () => void
}

/** @see WebSocketTransport, which publishes them */
export interface Options {
  readonly format: "text" | "binary"
  readonly limits: Limits
  readonly budget: Budget | undefined
  readonly clock: Clock
  readonly together: (sends: () => void) => void
  readonly unfinished: Unfinished | undefined
  readonly occupancy: Occupancy | undefined
}
