/**
 * The texts that wait to be written to a transport: bounded, and written in one go.
 *
 * Texts of the same turn go out in one write at its end, or in two where there
 * are many. While a write is under way the next texts gather, and go out together
 * when it is done; at most about 64 KiB or one text a write, so that a slow line
 * still shows progress. Within a long text, the transport shows it where it can.
 *
 * Calls and replies have a share each. A call that finds its share full parks in
 * the conversation; a reply never waits, its share stops calls from starting.
 *
 * While the other side does not read, the budget is told so: texts that wait
 * here may spend it, and then the heaviest connection that is not read ends.
 */
import * as Weight from "@parley/protocol/text/Weight"
import * as Direct from "@parley/transport/Direct"
import { patience, Reader } from "@parley/transport/host/Reader"
import type { Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Conversation } from "../conversation/Conversation.ts"
import type { Share } from "../conversation/Lane.ts"
import * as Phase from "../conversation/Phase.ts"
import type { Traffic } from "../room/Traffic.ts"
import { exitOf } from "../runtime/exitOf.ts"
import { Timer } from "../timer/DeadlineQueue.ts"
import { reasonOf } from "./reasonOf.ts"

/** Texts of one write. */
interface Chunk {
  readonly texts: [string, ...Array<string>]
  calls: number
  replies: number
  /** The weight that its texts take of the budget. */
  weight: number
}

/** Characters after which the next write begins. */
const enough = 65_536

/** Characters that give the other side more to do than a write costs both. */
const worthwhile = 4096

/** @internal */
export class WriteQueue {
  readonly #conversation: Conversation
  readonly #traffic: Traffic
  readonly #give: Direct.Give
  readonly #unsent: (() => number) | undefined
  readonly #stall: Timer
  readonly #reader: Reader
  /** Milliseconds without progress that a write will have when its timer is over, and the bytes that were unsent before. */
  #idle = 0
  #left = 0
  /** The chunks before the one that still grows. */
  #full: Array<Chunk> = []
  #filling: Chunk | undefined = undefined
  /** The weight that all texts here take of the budget. */
  #weight = 0
  #written = 0
  #isScheduled = false
  #isCorked = false

  constructor(conversation: Conversation, transport: Transport, traffic: Traffic) {
    this.#conversation = conversation
    this.#traffic = traffic
    this.#give = Direct.giveOf(transport) ?? ((texts) => transport.send(texts))
    this.#unsent = Direct.unsentOf(transport)
    this.#stall = new Timer(() => this.#wait(this.#hasMoved() ? 0 : this.#idle))
    this.#reader = new Reader(conversation.host.budget, conversation.limits.writeStall)
  }

  /** Adds a text, and gives its place in the order of all texts; -1 where nothing is written any more. */
  write(text: string, share: Share): number {
    if (this.#isClosed()) return -1
    const { length } = text
    const chunk = this.#chunkFor(text)
    this.#weigh(chunk, Weight.ofWaiting(text))
    if (share === "call") {
      chunk.calls += length
      this.#traffic.calls += length
    } else {
      chunk.replies += length
      this.#traffic.replies += length
    }
    if (!this.#isCorked && !this.#isScheduled && !this.#traffic.isSending) {
      this.#isScheduled = true
      queueMicrotask(this.#flush)
    }
    const place = ++this.#written
    this.#reader.gains()
    return place
  }

  /** Whether a write waits for the other side. */
  get isUnread(): boolean {
    return this.#reader.isBehind
  }

  get isEmpty(): boolean {
    return !this.#traffic.isSending && this.#filling === undefined && this.#full.length === 0
  }

  /** Lets texts gather until `uncork`, which must follow in the same turn. */
  cork(): void {
    this.#isCorked = true
  }

  /** Writes what has gathered so far, if it is worth a write of its own. */
  relieve(): void {
    const { calls, isSending, replies } = this.#traffic
    if (!isSending && calls + replies >= worthwhile) this.#flush()
  }

  /** Writes what has gathered. */
  uncork(): void {
    this.#isCorked = false
    this.#flush()
  }

  /** Gives up what waits. It runs once, at the end of the conversation. */
  close(): void {
    const { budget, timers } = this.#conversation.host
    budget.take(-this.#weight)
    timers.cancel(this.#stall)
    this.#reader.takes()
    this.#full = []
    this.#filling = undefined
  }

  #weigh(chunk: Chunk, weight: number): void {
    chunk.weight += weight
    this.#weight += weight
    this.#conversation.host.budget.take(weight)
  }

  #isClosed(): boolean {
    return this.#conversation.phase === Phase.closed
  }

  #chunkFor(text: string): Chunk {
    const chunk = this.#filling
    if (chunk !== undefined && chunk.calls + chunk.replies < enough) {
      chunk.texts.push(text)
      return chunk
    }
    if (chunk !== undefined) this.#full.push(chunk)
    return this.#filling = { texts: [text], calls: 0, replies: 0, weight: 0 }
  }

  readonly #flush = (): void => {
    this.#isScheduled = false
    while (!this.#traffic.isSending && !this.#isClosed()) {
      const chunk = this.#oldest()
      if (chunk === undefined) return
      this.#traffic.handedOver += chunk.texts.length
      this.#traffic.isSending = true
      const exit = this.#send(chunk)
      if (exit !== undefined) this.#sent(chunk.calls, chunk.replies, chunk.weight, exit)
      else if (chunk.calls > 0) this.#conversation.stepIfAwaited()
    }
  }

  /** Most often nothing is full: then no array is touched, which would cost more than the rest. */
  #oldest(): Chunk | undefined {
    if (this.#full.length > 0) return this.#full.shift()
    const chunk = this.#filling
    this.#filling = undefined
    return chunk
  }

  /** Sends a chunk. Gives the exit, or `undefined` where it is not done yet. */
  #send({ calls, replies, texts, weight }: Chunk): Exit.Exit<void, TransportError> | undefined {
    const effect = this.#begin(texts)
    const exit = exitOf(effect)
    if (exit !== undefined) return exit
    const { host } = this.#conversation
    const fiber = host.fork(effect)
    const ended = fiber.pollUnsafe()
    return ended ?? this.#await(fiber, calls, replies, weight)
  }

  /** Waits for the end of a write, without its texts: the transport has them, most often as bytes. */
  #await(fiber: Fiber.Fiber<void, TransportError>, calls: number, replies: number, weight: number): undefined {
    fiber.addObserver((exit) => {
      this.#conversation.host.timers.cancel(this.#stall)
      this.#sent(calls, replies, weight, exit)
      this.#flush()
    })
    this.#hasMoved()
    this.#wait(0)
  }

  /** Whether the system has taken bytes of the write since it was asked last. */
  #hasMoved(): boolean {
    const before = this.#left
    this.#left = this.#unsent?.() ?? 0
    return this.#left < before
  }

  /** Waits on for a write without progress for so long, unless the budget has just ended this connection. */
  #wait(idle: number): void {
    const left = this.#reader.waits(idle)
    if (left === undefined) return this.#conversation.abort({ _tag: "WriteStalled" })
    // It is not known when a write has moved, so that it is looked at more often where it may.
    const milliseconds = this.#unsent === undefined ? left : Math.min(left, patience)
    this.#idle = idle + milliseconds
    if (!this.#isClosed()) this.#conversation.host.timers.set(this.#stall, milliseconds)
  }

  /** A transport that throws instead of failing has a defect. */
  #begin(texts: Chunk["texts"]): ReturnType<Direct.Give> {
    try {
      return this.#give(texts)
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  #sent(calls: number, replies: number, weight: number, exit: Exit.Exit<void, TransportError>): void {
    this.#traffic.isSending = false
    if (this.#isClosed()) return
    if (Exit.isFailure(exit)) return this.#conversation.abort(reasonOf(exit.cause))
    this.#traffic.calls -= calls
    this.#traffic.replies -= replies
    this.#weight -= weight
    this.#conversation.host.budget.take(-weight)
    this.#reader.takes()
    this.#conversation.step()
  }
}
