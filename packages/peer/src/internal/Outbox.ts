/**
 * What waits to be written: bounded, and written in one go.
 *
 * Texts of the same turn go out in one write, at its end, or in two where there are
 * many. While a write is under way the next texts gather, and go out together when
 * it is done; at most about a mebibyte a write, so that a slow line still shows
 * progress.
 *
 * Calls and replies have a share each, so that a flood of calls cannot hold up
 * the replies another flood waits for. A call that finds its share full is
 * parked; a reply never waits, its share closes the intake instead.
 */
import type { Budget } from "@parley/transport/Budget"
import * as Direct from "@parley/transport/Direct"
import type { Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { exitOf } from "./Immediate.ts"
import { alarm, type Sweeper } from "./Sweeper.ts"

/** @internal */
export interface Outbox {
  /** Writes a call or a notification of ours, and gives its place in the order of all texts. */
  readonly write: (text: string) => number
  /** Writes a reply, or what else must not wait. */
  readonly reply: (text: string) => void
  /** Whether a call may be written now. */
  readonly hasRoom: () => boolean
  /** Runs `enter` in turn, when there is room for a call. */
  readonly park: (owner: object, enter: () => void) => void
  /** Takes back what waits for room. */
  readonly withdraw: (owner: object) => void
  /** Tells whether the text at a place was handed to the transport. */
  readonly isHandedOver: (place: number) => boolean
  /** Lets texts gather until `uncork`, which must follow in the same turn. */
  readonly cork: () => void
  /** Writes what has gathered so far, if it is worth a write of its own. */
  readonly relieve: () => void
  /** Writes what has gathered. */
  readonly uncork: () => void
  /** Lets in what waits for room, if there is some. */
  readonly admit: () => void
  /** Characters of replies that wait. */
  readonly replies: () => number
  readonly isEmpty: () => boolean
  /** Writes nothing any more, and lets go who waits for room. */
  readonly close: () => void
}

/** @internal */
export interface Options {
  readonly transport: Transport["Service"]
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly sweeper: Sweeper
  /** Characters that wait in one share. */
  readonly capacity: number
  /** What this connection shares with others, if anything. */
  readonly budget: Budget | undefined
  readonly writeStall: number
  /** A write is done: there may be room again. */
  readonly onProgress: () => void
  readonly onFailure: (cause: Cause.Cause<TransportError>) => void
  readonly onStall: () => void
}

/** What goes out in one write. */
interface Chunk {
  readonly texts: [string, ...Array<string>]
  calls: number
  replies: number
}

/** Characters of one write, beyond which the next one begins. */
const enough = 1024 * 1024

/** Characters that give the other side more to do than a write costs both. */
const worthwhile = 4096

/** @internal */
export const make = (options: Options): Outbox => {
  const { budget, capacity, fork, sweeper, transport } = options
  /** What waits before the chunk that still grows. */
  let full: Array<Chunk> = []
  let filling: Chunk | undefined
  const parked = new Map<object, () => void>()
  let calls = 0
  let replies = 0
  let written = 0
  let handedOver = 0
  let scheduled = false
  let sending = false
  let corked = false
  let closed = false

  const give = Direct.giveOf(transport) ?? ((texts) => transport.send(texts))
  const stall = alarm(options.onStall)

  const push = (text: string): Chunk => {
    budget?.take(text.length)
    if (filling === undefined) filling = { texts: [text], calls: 0, replies: 0 }
    else if (filling.calls + filling.replies < enough) filling.texts.push(text)
    else {
      full.push(filling)
      filling = { texts: [text], calls: 0, replies: 0 }
    }
    written++
    if (!corked && !scheduled && !sending) {
      scheduled = true
      queueMicrotask(flush)
    }
    return filling
  }

  const flush = () => {
    scheduled = false
    while (!sending && !closed) {
      const chunk = oldest()
      if (chunk === undefined) return
      handedOver += chunk.texts.length
      sending = true
      const exit = send(chunk)
      if (exit !== undefined) sent(chunk, exit)
    }
  }

  const oldest = (): Chunk | undefined => {
    if (full.length > 0) return full.shift()
    const chunk = filling
    filling = undefined
    return chunk
  }

  /** Gives the exit, or hears of it later. */
  const send = (chunk: Chunk): Exit.Exit<void, TransportError> | undefined => {
    const effect = begun(chunk.texts)
    const exit = exitOf(effect)
    if (exit !== undefined) return exit
    const fiber = fork(effect)
    const ended = fiber.pollUnsafe()
    if (ended !== undefined) return ended
    sweeper.set(stall, options.writeStall)
    fiber.addObserver((exit) => {
      sweeper.cancel(stall)
      sent(chunk, exit)
      flush()
    })
    return undefined
  }

  /** A transport that throws instead of failing has a defect. */
  const begun: Transport["Service"]["send"] = (texts) => {
    try {
      return give(texts)
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  const sent = (chunk: Chunk, exit: Exit.Exit<void, TransportError>) => {
    sending = false
    if (closed) return
    if (Exit.isFailure(exit)) return options.onFailure(exit.cause)
    calls -= chunk.calls
    replies -= chunk.replies
    budget?.take(-chunk.calls - chunk.replies)
    if (parked.size > 0) admit()
    options.onProgress()
  }

  const hasRoom = () => calls < capacity && budget?.isSpent() !== true

  const admit = () => {
    for (const [owner, enter] of parked) {
      if (!hasRoom()) return
      parked.delete(owner)
      enter()
    }
  }

  return {
    hasRoom: () => parked.size === 0 && hasRoom(),
    park: (owner, enter) => {
      parked.set(owner, enter)
    },
    withdraw: (owner) => {
      parked.delete(owner)
    },
    write: (text) => {
      if (closed) return Number.POSITIVE_INFINITY
      push(text).calls += text.length
      calls += text.length
      return written
    },
    reply: (text) => {
      if (closed) return
      push(text).replies += text.length
      replies += text.length
    },
    cork: () => {
      corked = true
    },
    relieve: () => {
      if (!sending && calls + replies >= worthwhile) flush()
    },
    uncork: () => {
      corked = false
      flush()
    },
    admit,
    isHandedOver: (place) => place <= handedOver,
    replies: () => replies,
    isEmpty: () => !sending && filling === undefined && full.length === 0,
    close: () => {
      if (closed) return
      closed = true
      budget?.take(-calls - replies)
      full = []
      filling = undefined
      sweeper.cancel(stall)
      const waiting = [...parked.values()]
      parked.clear()
      for (const enter of waiting) enter()
    }
  }
}
