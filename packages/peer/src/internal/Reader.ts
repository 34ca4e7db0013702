/**
 * The receive loop: each text leaves it at once, settled, cancelled, put into the
 * inbox or refused.
 *
 * It waits for nothing but the transport and, where the other side overwhelms us,
 * for room. Then it keeps what it has read, and one more chunk is read ahead: not
 * to run it, but to hear of the end.
 *
 * It is no fiber, so that where a transport needs none to wait, none is.
 */
import * as Batch from "@parley/protocol/Batch"
import type { BadFrame } from "@parley/protocol/Framing"
import * as Message from "@parley/protocol/Message"
import * as Direct from "@parley/transport/Direct"
import type { Received, Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
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
  readonly outbox: Pick<Outbox, "cork" | "relieve" | "uncork">
  readonly decode: (text: string) => Batch.Batch
  /** Hands on what a text holds. */
  readonly take: (batch: Batch.Batch, size: number) => void
  /** Everything of a chunk was handed on. */
  readonly onChunk: () => void
  /** Whether taking this would be more than there is room for. */
  readonly isCrowded: (batch: Batch.Batch) => boolean
  /** Whether nothing more is to be handed on. */
  readonly isOver: () => boolean
  /** Nothing more comes. Told once more when what was held back before it has been handed on. */
  readonly onEnd: (cause: Cause.Cause<TransportError>) => void
}

/** Texts of one turn before others get theirs. */
const fairness = 1024

/** Starts reading. @internal */
export const start = (options: Options): Reader => {
  const { decode, fork, isCrowded, isOver, outbox, take, transport } = options
  const begin = Direct.takeOf(transport) ?? forking(fork, transport.receive)
  let chunk: ReadonlyArray<Received> | undefined
  /** The text of the chunk that comes next. */
  let at = 0
  /** What has no room yet. */
  let held: Batch.Batch | undefined
  /** The chunk after that. */
  let ahead: ReadonlyArray<Received> | undefined
  let ended: Cause.Cause<TransportError> | undefined
  let turn = 0
  /** Whether a chunk is being handed on, or waits for its turn. */
  let isBusy = false
  let isReading = false
  let isStopped = false
  let stopReading: (() => void) | undefined

  const read = () => {
    if (isReading || isStopped || ahead !== undefined || ended !== undefined) return
    isReading = true
    const stop = begun()
    if (isReading) stopReading = stop
  }

  /** A transport that throws instead of failing has a defect. */
  const begun = () => {
    try {
      return begin(onRead)
    } catch (defect) {
      return void onRead(Exit.die(defect))
    }
  }

  const onRead = (exit: Exit.Exit<ReadonlyArray<Received>, TransportError>) => {
    isReading = false
    stopReading = undefined
    if (Exit.isSuccess(exit)) {
      ahead = exit.value
      if (held === undefined) go()
    } else end(exit.cause)
  }

  const end = (cause: Cause.Cause<TransportError>) => {
    ended = cause
    options.onEnd(cause)
  }

  /** Hands on until all is handed on, or the rest has to wait. Reading may bring more in the same turn. */
  const go = () => {
    if (isBusy) return
    isBusy = true
    try {
      for (let next = nextChunk(); next !== undefined; next = nextChunk()) {
        if (!handOn(next)) break
        chunk = undefined
        if (ended !== undefined) return options.onEnd(ended)
        if (turn >= fairness) return pause()
        read()
      }
    } catch (defect) {
      return end(Cause.die(defect))
    }
    isBusy = false
    if (held !== undefined) read()
  }

  const nextChunk = (): ReadonlyArray<Received> | undefined => {
    if (chunk !== undefined || ahead === undefined) return chunk
    chunk = ahead
    at = 0
    ahead = undefined
    turn += chunk.length
    return chunk
  }

  /**
   * A whole chunk is handed on per turn, and what it has to say is written at its end, or in two halves: so that the other
   * side has something to do while the second is handed on. False if there is no room.
   */
  const handOn = (chunk: ReadonlyArray<Received>): boolean => {
    outbox.cork()
    try {
      return handOnAll(chunk)
    } finally {
      outbox.uncork()
    }
  }

  const handOnAll = (chunk: ReadonlyArray<Received>): boolean => {
    let decoded = held
    held = undefined
    for (; at < chunk.length && !isOver(); at++) {
      const received = chunk[at]
      if (received === undefined) break
      const batch = decoded ?? (typeof received === "string" ? decode(received) : unreadable(received))
      decoded = undefined
      if (isCrowded(batch)) options.onChunk()
      if (isCrowded(batch)) {
        held = batch
        return false
      }
      take(batch, typeof received === "string" ? received.length : 0)
      if (at + 1 === chunk.length >> 1) outbox.relieve()
    }
    options.onChunk()
    return true
  }

  const pause = () => {
    turn = 0
    fork(Effect.yieldNow).addObserver(() => {
      isBusy = false
      read()
      go()
    })
  }

  read()

  return {
    wake: () => {
      if (held !== undefined && !isBusy && !isCrowded(held)) go()
    },
    isHolding: () => held !== undefined,
    stop: () => {
      isStopped = true
      stopReading?.()
    }
  }
}

/** Waits in a fiber. */
const forking = (fork: Options["fork"], receive: Transport["Service"]["receive"]): Direct.Take => (resume) => {
  const fiber = fork(receive)
  fiber.addObserver(resume)
  return () => fiber.interruptUnsafe()
}

const unreadable = ({ excerpt, reason }: BadFrame): Batch.Batch =>
  Result.fail(new Message.ParseError({ rule: `${reason}: ${excerpt}` }))
