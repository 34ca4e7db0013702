/**
 * A transport made of a framing and a duplex of bytes.
 *
 * A socket, a pipe or a serial line implements `Bytes`. This module adds the rest
 * of a `Transport`: texts at any cut of the bytes, one reader, typed ends, and
 * `Limits.partialFrame`.
 *
 * ```ts run
 * import { Framing } from "@parley/protocol"
 * import { FramedTransport, Transport } from "@parley/transport"
 * import { Effect, Queue } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const input = yield* Queue.unbounded<Uint8Array, Transport.TransportError>()
 *   const transport = yield* FramedTransport.fromBytes({
 *     pull: Queue.takeAll(input),
 *     write: (bytes) => Effect.sync(() => console.log(new TextDecoder().decode(bytes).trimEnd())),
 *     close: Effect.asVoid(Queue.fail(input, Transport.transportError({ _tag: "Closed" })))
 *   }, { framing: Framing.line })
 *
 *   yield* Queue.offer(input, new TextEncoder().encode("one\ntwo\nthr"))
 *   console.log(yield* transport.receive) // => [ 'one', 'two' ]
 *   yield* transport.send(["three"]) // => three
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as framed from "./internal/framed.ts"
import type { Transport } from "./Transport.ts"

/**
 * A duplex of bytes.
 *
 * @category models
 * @since 0.1.0
 */
export type Bytes = framed.Bytes

/**
 * How the bytes are framed, and the bounds: `frame`, `header`, `depth` and `partialFrame` are used here.
 *
 * @category models
 * @since 0.1.0
 */
export type FramedTransportOptions = framed.Options

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
  options: FramedTransportOptions
) => Effect.Effect<Transport, never, Scope.Scope> = framed.fromBytes
