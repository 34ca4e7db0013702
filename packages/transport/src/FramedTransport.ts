/**
 * A transport made of a framing and a duplex of bytes.
 *
 * A socket, a pipe or a serial line implements `Bytes`. This module adds the rest
 * of a `Transport`: texts at any cut of the bytes, one reader, typed ends, and
 * `Limits.partialFrame`.
 *
 * @since 0.1.0
 */
import type { Framing } from "@parley/protocol/Framing"
import type * as Limits from "@parley/protocol/Limits"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as framed from "./internal/framed.ts"
import type { Transport } from "./Transport.ts"
import type { TransportError } from "./TransportError.ts"

/**
 * A duplex of bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Bytes {
  /**
   * Waits for the next bytes. The end of the input fails with `EndOfInput`; `close` makes a waiting pull fail.
   * Called by one fiber at a time, which may be interrupted: bytes that were not handed over stay for the next call.
   * The bytes belong to the caller afterwards.
   */
  readonly pull: Effect.Effect<NonEmptyReadonlyArray<Uint8Array>, TransportError>
  /** Takes the bytes and returns when there is room for more. After a loss of the connection it must fail. */
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, TransportError>
  /** Writes all bytes that were taken, then ends both directions. It runs once, and must take bounded time. */
  readonly close: Effect.Effect<void>
  /**
   * Ends both directions at once and drops what is not written, for a connection whose memory is needed by others.
   * `close` stands in where it is missing.
   */
  readonly abort?: Effect.Effect<void>
  /** Replaces `join` of the framing and `write`, for wires that carry texts one by one, as WebSockets do. */
  readonly writeTexts?: Transport["send"]
}

/**
 * How the bytes are framed, and the bounds: `frame`, `header`, `depth` and `partialFrame` are used here.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly framing: Framing
  readonly limits?: Partial<Limits.Limits> | undefined
}

/**
 * A transport over these bytes, closed with its Scope.
 *
 * A frame that waits longer than `Limits.partialFrame` for its rest ends the transport with `FrameTimeout` and
 * closes the bytes. After `LostPlace` and `ForeignProtocol` nothing more is received; the owner closes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromBytes: (
  bytes: Bytes,
  options: Options
) => Effect.Effect<Transport, never, Scope.Scope> = framed.fromBytes
