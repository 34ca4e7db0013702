/**
 * A duplex of whole texts. It knows no calls.
 *
 * Framing, sockets, processes and workers stay behind this interface; a `Peer`
 * reads it and writes it. It has three operations, so a transport of your own is
 * an afternoon's work.
 *
 * ```ts run
 * import { MemoryTransport, Transport } from "@parley/transport"
 * import { Effect } from "effect"
 *
 * const shout: Transport.Wrapping = (inner) =>
 *   Effect.succeed({ ...inner, send: ([first, ...rest]) => inner.send([first.toUpperCase(), ...rest]) })
 *
 * const program = Effect.gen(function*() {
 *   const [near, far] = yield* MemoryTransport.makePair()
 *   const loud = yield* shout(near)
 *   yield* loud.send(["hello"])
 *   console.log(yield* far.receive) // => [ 'HELLO' ]
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @since 0.1.0
 */
import type { BadFrame, Framing } from "@parley/protocol/Framing"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { TransportError } from "./internal/TransportError.ts"

export {
  describeCause,
  describeReason,
  TransportError,
  transportError,
  TransportReason
} from "./internal/TransportError.ts"

/**
 * A text, or a frame that could not become one.
 *
 * @category models
 * @since 0.1.0
 */
export type Received = string | BadFrame

/**
 * A connection that carries whole texts both ways.
 *
 * @category services
 * @since 0.1.0
 */
export interface Transport {
  /**
   * Waits for the next texts, in the order they came. One reader: a second one at the same time is a defect.
   * Every end is a failure, and `EndOfInput` (the other side writes no more) is told from the rest. After a
   * failure every later call fails the same way.
   */
  readonly receive: Effect.Effect<NonEmptyReadonlyArray<Received>, TransportError>

  /**
   * Writes texts in one go and returns when the connection has room again. After `EndOfInput` it still works
   * where the connection is half open.
   */
  readonly send: (texts: NonEmptyReadonlyArray<string>) => Effect.Effect<void, TransportError>

  /** Ends both directions. May be called often; only the first call does something. */
  readonly close: Effect.Effect<void>

  /**
   * Ends both directions at once, and drops what is not written: for a connection whose other side takes nothing, or
   * goes on sending. May come while `close` runs, and ends that. Absent where `close` waits for nobody.
   */
  readonly abort?: Effect.Effect<void> | undefined

  /** The framing of a stream of bytes. Absent on other wires. A wrapping hands it on, as `{ ...inner, receive }` does. */
  readonly framing?: TransportFraming | undefined
}

/**
 * How a transport over a stream of bytes keeps its texts apart.
 *
 * @category models
 * @since 0.1.0
 */
export interface TransportFraming {
  /** Its name. It is `line` as long as nobody has chosen another. */
  readonly name: Framing["name"]
  /**
   * Chooses it, and returns what it is: another one where the options of the transport have said so, or where it was
   * chosen, read or written with before. A peer chooses the framing of its dialect.
   */
  readonly choose: (name: Framing["name"]) => Framing["name"]
}

/** A `receive` that has the framing of its transport. @internal */
export interface FramedReceive {
  readonly "~@parley/transport/Transport/framing"?: TransportFraming
}

/**
 * The framing of a transport, also behind a wrapping that hands on its `receive` alone.
 *
 * @category accessors
 * @since 0.1.0
 */
export const framingOf = (
  { framing, receive }: Pick<Transport, "framing" | "receive">
): TransportFraming | undefined => {
  // A transport over a framing says so there; another has no such member.
  const { "~@parley/transport/Transport/framing": own }: FramedReceive = receive as typeof receive & FramedReceive
  return framing ?? own
}

/** The service of a `Transport`. @category services @since 0.1.0 */
export const Transport: Context.Service<Transport, Transport> = Context.Service("@parley/transport/Transport")

/**
 * Changes a transport into another, for example one that records what passes.
 *
 * @category wrapping
 * @since 0.1.0
 */
export type Wrapping<R = never> = (inner: Transport) => Effect.Effect<Transport, never, R>

/**
 * The Layer form of a wrapping, for clients.
 *
 * @category wrapping
 * @since 0.1.0
 */
export const wrap = <R = never>(
  wrapping: Wrapping<R>
): Layer.Layer<Transport, never, Transport | Exclude<R, Scope.Scope>> =>
  Layer.effect(Transport, Effect.flatMap(Transport, wrapping))
