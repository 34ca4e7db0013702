/**
 * The receive loop: each text leaves it at once, settled, cancelled, queued or
 * refused (promise 12).
 *
 * It waits for nothing but the transport and, where the conversation says so, for
 * room. Then it holds what it has read, and reads a little ahead. It runs nothing
 * of that, but hears of the end, and of cancellations, which may make room.
 *
 * The loop is no fiber: where a transport needs none to wait, none exists.
 */
import type { BadFrame } from "@parley/protocol/Framing"
import * as Message from "@parley/protocol/Message"
import * as Weight from "@parley/protocol/Weight"
import * as Direct from "@parley/transport/Direct"
import type { Received, Transport } from "@parley/transport/Transport"
import type { TransportError } from "@parley/transport/TransportError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Decoded } from "../conversation/TextReader.ts"
import type { Fork } from "../runtime/Host.ts"
import type { WriteQueue } from "./WriteQueue.ts"

/** @internal */
export interface Options {
  readonly transport: Transport
  readonly fork: Fork
  readonly writes: Pick<WriteQueue, "cork" | "relieve" | "uncork">
  /** Whether a text of this weight may be read: there is room for its values. */
  readonly hasRoom: (weight: number) => boolean
  readonly read: (text: string, weight: number | undefined) => Decoded
  /** Hands a text on. */
  readonly take: (decoded: Decoded, received: Received) => void
  /** Runs when everything of a chunk was handed on. */
  readonly onChunk: () => void
  /** Whether a text has to wait. */
  readonly mustWait: (decoded: Decoded) => boolean
  /** Takes a cancellation out of its turn: `false` where its call has not come, `undefined` where a text is none. */
  readonly tryCancel: (text: string) => boolean | undefined
  /** Whether there is room for what comes behind a text that has to wait. */
  readonly mayReadAhead: () => boolean
  /** Whether nothing more is to be handed on. */
  readonly isOver: () => boolean
  /** Runs when nothing more comes, and once more when the texts that were held back before that are handed on. */
  readonly onEnd: (cause: Cause.Cause<TransportError>) => void
}

/** Texts, or chunks, in which cancellations are looked for again and again. */
const mostSearched = 256

/** Characters up to which the values of a text are few, whatever they are. */
const short = 1_024

const isLong = (received: Received): received is string => typeof received === "string" && received.length > short

/** Texts that are handed on in one turn, before other fibers get theirs. */
const fairness = 1024

/** Characters that are read ahead, behind a text that has no room. */
const enoughAhead = 65_536

/** @internal */
export class ReadLoop {
  readonly #options: Options
  readonly #begin: Direct.Take
  #chunk: ReadonlyArray<Received> | undefined = undefined
  /** The text of the chunk that comes next. */
  #at = 0
  /** Whether the next text has no room yet. */
  #isHolding = false
  /** That text, where it was decoded. */
  #held: Decoded | undefined = undefined
  /** Its weight, where it was not. */
  #weight: number | undefined = undefined
  /** The chunks after that, and their characters. */
  #ahead: Array<Chunk> = []
  #aheadSize = 0
  /** Characters of the chunk that are not handed on. */
  #restSize = 0
  #ended: Cause.Cause<TransportError> | undefined = undefined
  #turn = 0
  /** Whether there may be a cancellation in what is held, and whether nobody has looked for one yet. */
  #wantsSearch = false
  #isUnsearched = false
  /** Whether a chunk is being handed on, or waits for its turn. */
  #isBusy = false
  #isReading = false
  #isStopped = false
  #stopReading: (() => void) | undefined = undefined

  constructor(options: Options) {
    this.#options = options
    this.#begin = Direct.takeOf(options.transport) ?? forking(options.fork, options.transport.receive)
  }

  /** Reads the first chunk. */
  start(): void {
    this.#read()
  }

  /** Looks again whether there is room for the text that is held. */
  proceed(): void {
    if (this.#isHolding && !this.#isBusy && !this.#mustWait()) this.#go()
  }

  /** Whether it holds a text that it has not handed on. */
  get isHolding(): boolean {
    return this.#isHolding
  }

  /** Whether it has read what it has not handed on, for want of room or of its turn. */
  get isBehind(): boolean {
    return this.#isHolding || this.#ahead.length > 0 || (this.#chunk !== undefined && this.#at < this.#chunk.length)
  }

  stop(): void {
    this.#isStopped = true
    this.#stopReading?.()
  }

  #read(): void {
    if (this.#isReading || this.#isStopped || this.#ended !== undefined) return
    if ((this.#isHolding || this.#ahead.length > 0) && !this.#mayReadAhead()) return
    this.#isReading = true
    const stop = this.#receive()
    if (this.#isReading) this.#stopReading = stop
  }

  #mayReadAhead(): boolean {
    return (this.#ahead.length === 0 || this.#restSize + this.#aheadSize <= enoughAhead) && this.#options.mayReadAhead()
  }

  /** A transport that throws instead of failing has a defect. */
  #receive(): (() => void) | undefined {
    try {
      return this.#begin(this.#onRead)
    } catch (defect) {
      return void this.#onRead(Exit.die(defect))
    }
  }

  readonly #onRead = (exit: Exit.Exit<ReadonlyArray<Received>, TransportError>): void => {
    this.#isReading = false
    this.#stopReading = undefined
    if (Exit.isFailure(exit)) return this.#end(exit.cause)
    if (!this.#isHolding) {
      this.#wantsSearch = true
      this.#isUnsearched = true
      this.#keep(exit.value)
      return this.#go()
    }
    this.#keep(this.#withoutCancels(exit.value))
    this.#read()
    this.proceed()
  }

  /** Takes the cancellations out of texts that have to wait. Calls that they make room for start afterwards. */
  #withoutCancels(texts: ReadonlyArray<Received>): ReadonlyArray<Received> {
    const wasBusy = this.#isBusy
    this.#isBusy = true
    const kept = texts.filter((received) => {
      const isCancelled = typeof received === "string" ? this.#options.tryCancel(received) : undefined
      if (isCancelled === false) this.#wantsSearch = true
      return isCancelled !== true
    })
    this.#isBusy = wasBusy
    return kept
  }

  #keep(texts: ReadonlyArray<Received>): void {
    const size = sizeOf(texts)
    this.#ahead.push({ texts, size })
    this.#aheadSize += size
  }

  #end(cause: Cause.Cause<TransportError>): void {
    this.#ended = cause
    this.#options.onEnd(cause)
  }

  #mustWait(): boolean {
    const received = this.#chunk?.[this.#at]
    if (!this.#isHolding || received === undefined) return false
    if (this.#held !== undefined) return this.#options.mustWait(this.#held)
    return isLong(received) && !this.#options.hasRoom(this.#weight ??= Weight.ofText(received))
  }

  /** Hands on until all is handed on, or the rest has to wait. Reading may bring more in the same turn. */
  #go(): void {
    if (this.#isBusy) return
    this.#isBusy = true
    try {
      do {
        for (let next = this.#next(); next !== undefined; next = this.#next()) {
          if (!this.#handOn(next)) break
          this.#chunk = undefined
          if (this.#ended !== undefined && this.#ahead.length === 0) return this.#options.onEnd(this.#ended)
          if (this.#turn >= fairness) return this.#pause()
          this.#read()
        }
        if (this.#isHolding) this.#read()
        // What was written at the end of the chunk, or read ahead, may have made room.
      } while (this.#isHolding && !this.#mustWait())
    } catch (defect) {
      this.#drop()
      return this.#end(Cause.die(defect))
    }
    this.#isBusy = false
  }

  #next(): ReadonlyArray<Received> | undefined {
    if (this.#chunk !== undefined) return this.#chunk
    const next = this.#ahead.shift()
    if (next === undefined) return undefined
    this.#chunk = next.texts
    this.#aheadSize -= next.size
    this.#at = 0
    this.#restSize = next.size
    this.#turn += this.#chunk.length
    return this.#chunk
  }

  /**
   * Hands on a whole chunk. Its replies are written at its end, or in two halves: so that the other side has something
   * to do while the second is handed on. Gives `false` where the rest has to wait.
   */
  #handOn(chunk: ReadonlyArray<Received>): boolean {
    const { writes } = this.#options
    writes.cork()
    try {
      return this.#handOnAll(chunk)
    } finally {
      writes.uncork()
    }
  }

  #handOnAll(chunk: ReadonlyArray<Received>): boolean {
    const { isOver, onChunk, read, take, writes } = this.#options
    let decoded = this.#held
    this.#held = undefined
    this.#isHolding = false
    for (; this.#at < chunk.length && !isOver(); this.#at++) {
      const received = chunk[this.#at]
      if (received === undefined) break
      if (decoded === undefined && isLong(received) && this.#holds(undefined)) return false
      const next = decoded ?? (typeof received === "string" ? read(received, this.#weight) : unreadable(received))
      this.#weight = undefined
      decoded = undefined
      if (this.#holds(next)) return false
      this.#restSize -= lengthOf(received)
      take(next, received)
      if (this.#at + 1 === chunk.length >> 1) writes.relieve()
    }
    this.#at = chunk.length
    onChunk()
    return true
  }

  /** Holds the next text if it has to wait. Starting calls that are queued may make room: that comes first. */
  #holds(decoded: Decoded | undefined): boolean {
    this.#isHolding = true
    this.#held = decoded
    if (this.#mustWait()) {
      this.#options.onChunk()
      if (this.#mustWait()) {
        this.#search()
        return true
      }
    }
    this.#isHolding = false
    this.#held = undefined
    return false
  }

  /** Looks for cancellations behind the text that has no room, of calls that were taken since it looked last. */
  #search(): void {
    if (!this.#wantsSearch) return
    const rest = this.#chunk?.slice(this.#at) ?? []
    if (!this.#isUnsearched && rest.length > mostSearched) return
    this.#isUnsearched = false
    this.#wantsSearch = this.#ahead.length > mostSearched
    this.#chunk = [...rest.slice(0, 1), ...this.#withoutCancels(rest.slice(1))]
    this.#at = 0
    this.#restSize = sizeOf(this.#chunk)
    if (this.#ahead.length > mostSearched) return
    const ahead = this.#ahead
    this.#ahead = []
    this.#aheadSize = 0
    for (const { texts } of ahead) this.#keep(this.#withoutCancels(texts))
  }

  /** Nothing is handed on after a defect. */
  #drop(): void {
    this.#isHolding = false
    this.#held = undefined
    this.#chunk = undefined
    this.#ahead = []
    this.#aheadSize = 0
  }

  #pause(): void {
    this.#turn = 0
    this.#options.fork(Effect.yieldNow).addObserver(() => {
      this.#isBusy = false
      this.#read()
      this.#go()
    })
  }
}

/** Texts that were read at once, and their characters. */
interface Chunk {
  readonly texts: ReadonlyArray<Received>
  readonly size: number
}

/** Characters of a bad frame: as many as its excerpt may have. */
const badSize = 64

const lengthOf = (received: Received): number => typeof received === "string" ? received.length : badSize

const sizeOf = (texts: ReadonlyArray<Received>): number => {
  let size = 0
  for (const received of texts) size += lengthOf(received)
  return size
}

/** Reads in a fiber, for transports that are not `Direct`. */
const forking = (fork: Fork, receive: Transport["receive"]): Direct.Take => (resume) => {
  const fiber = fork(receive)
  fiber.addObserver(resume)
  return () => fiber.interruptUnsafe()
}

const unreadable = ({ excerpt, reason }: BadFrame): Decoded => ({
  batch: Result.fail(new Message.ParseError({ rule: `${reason}: ${excerpt}` })),
  size: badSize,
  weight: 0
})
