/**
 * The receive loop: each text leaves it at once, settled, cancelled, put into the
 * inbox or refused.
 *
 * It waits for nothing but the transport and, where the other side overwhelms us,
 * for room. Then it keeps what it has read, and one more chunk is read ahead: not
 * to run it, but to hear of the end.
 */
import * as Batch from "@parley/protocol/Batch"
import type { BadFrame } from "@parley/protocol/Framing"
import * as Message from "@parley/protocol/Message"
import type { Received, Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Outbox } from "./Outbox.ts"

/** @internal */
export interface Reader {
  /** Lets the loop look whether there is room. */
  readonly wake: () => void
  /** Whether it has read what it has not handed on. */
  readonly isHolding: () => boolean
  readonly stop: () => void
}

/** @internal */
export interface Options {
  readonly transport: Transport["Service"]
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly outbox: Pick<Outbox, "cork" | "uncork">
  readonly decode: (text: string) => Batch.Batch
  /** Hands on what a text holds. */
  readonly take: (batch: Batch.Batch, size: number) => void
  /** Everything of a chunk was handed on. */
  readonly onChunk: () => void
  /** Whether taking this would be more than there is room for. */
  readonly isCrowded: (batch: Batch.Batch) => boolean
  /** Whether nothing more is to be handed on. */
  readonly isOver: () => boolean
  readonly onEnd: (cause: Cause.Cause<TransportError>) => void
}

/** Texts of one turn before others get theirs. */
const fairness = 1024

/** Starts reading. @internal */
export const start = (options: Options): Reader => {
  const { decode, fork, isCrowded, isOver, outbox, take, transport } = options
  let turn = 0
  let wake: (() => void) | undefined
  // What was read, or will be, while the loop waits for room.
  let ahead: Fiber.Fiber<ReadonlyArray<Received>, TransportError> | undefined

  const room = (batch: Batch.Batch): Effect.Effect<void> =>
    Effect.callback((resume) => {
      wake = () => {
        if (isCrowded(batch)) return
        wake = undefined
        resume(Effect.void)
      }
      wake()
    })

  const readAhead = () => {
    if (ahead !== undefined) return
    ahead = fork(transport.receive)
    ahead.addObserver((exit) => Exit.isFailure(exit) ? options.onEnd(exit.cause) : undefined)
  }

  const consume = (received: ReadonlyArray<Received>, from: number): Effect.Effect<void> => {
    for (let at = from; at < received.length && !isOver(); at++) {
      const frame = received[at]
      if (frame === undefined) break
      const batch = typeof frame === "string" ? decode(frame) : unreadable(frame)
      const size = typeof frame === "string" ? frame.length : 0
      if (isCrowded(batch)) options.onChunk()
      if (isCrowded(batch)) {
        readAhead()
        return Effect.flatMap(room(batch), () => consume(received, at))
      }
      take(batch, size)
    }
    options.onChunk()
    return Effect.void
  }

  /** A whole chunk is handed on per turn, and what it has to say is written at its end. */
  const onReceived = (received: ReadonlyArray<Received>): Effect.Effect<never, TransportError> => {
    let consumed: Effect.Effect<void>
    outbox.cork()
    try {
      consumed = consume(received, 0)
    } finally {
      outbox.uncork()
    }
    turn += received.length
    if (turn < fairness) return consumed === Effect.void ? loop : Effect.andThen(consumed, resumed)
    turn = 0
    return Effect.andThen(Effect.andThen(consumed, Effect.yieldNow), resumed)
  }

  const loop: Effect.Effect<never, TransportError> = Effect.flatMap(transport.receive, onReceived)

  const resumed: Effect.Effect<never, TransportError> = Effect.suspend(() => {
    const read = ahead
    ahead = undefined
    return read === undefined ? loop : Effect.flatMap(Fiber.join(read), onReceived)
  })

  const reading = fork(loop)
  reading.addObserver((exit) => Exit.isFailure(exit) ? options.onEnd(exit.cause) : undefined)

  return {
    wake: () => wake?.(),
    isHolding: () => wake !== undefined,
    stop: () => {
      reading.interruptUnsafe()
      ahead?.interruptUnsafe()
    }
  }
}

const unreadable = ({ excerpt, reason }: BadFrame): Batch.Batch =>
  Result.fail(new Message.ParseError({ rule: `${reason}: ${excerpt}` }))
