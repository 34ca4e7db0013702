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
import { Weight } from "@parley/protocol/shared"
import { type Budget, Direct } from "@parley/transport/shared"
import type { Received, Transport, TransportError } from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { describe, type DisconnectReason } from "../CallerError.ts"
import { type Conversation, orderly } from "../conversation/Conversation.ts"
import { Intake } from "../conversation/Intake.ts"
import type { Lane } from "../conversation/Lane.ts"
import { type Decoded, TextReader } from "../conversation/TextReader.ts"
import { enoughAhead, type Wait } from "../room/Room.ts"
import { type Fork, unexplained } from "../runtime/Host.ts"

/** Texts, or chunks, in which cancellations are looked for again and again. */
const mostSearched = 256

/** Texts of a chunk that are handed on before it is cut: it would keep them alive until its last one is handed on. */
const enoughToCut = 1024

/** Texts that are handed on in one turn, before other fibers get theirs. */
const fairness = 1024

/** A lane whose texts are written together. @internal */
export interface Corkable extends Lane {
  /** Lets texts gather until `uncork`, which follows in the same turn and writes them. */
  readonly cork: () => void
  readonly uncork: () => void
  /** Writes what has gathered so far, if it is worth a write of its own. */
  readonly relieve: () => void
}

/** @internal */
export class ReadLoop {
  readonly #conversation: Conversation
  readonly #lane: Corkable
  readonly #intake: Intake
  readonly #begin: Direct.Take
  /** The chunks that are not handed on yet, in their order. */
  #chunks: Array<ReadonlyArray<Received>> = []
  /** The text of the first chunk that comes next. */
  #at = 0
  /** What is known of that text, where it has no room: the decoded text, or the weight of one that is not decoded. */
  #held: Decoded | number | undefined = undefined
  readonly #ahead: ReadAhead
  #ended: Cause.Cause<TransportError> | undefined = undefined
  #turn = 0
  #badFrames = 0
  /** Whether there may be a cancellation in what is held, and whether nobody has looked for one yet. */
  #wantsSearch = false
  #isUnsearched = false
  /** What was read, and is looked at in the step that comes next. */
  #arrived: Exit.Exit<ReadonlyArray<Received>, TransportError> | undefined = undefined
  /** Whether other fibers have their turn before more is handed on. */
  #isYielding = false
  #isReading = false
  #stopReading: (() => void) | undefined = undefined

  constructor(conversation: Conversation, lane: Corkable, transport: Transport) {
    const { dialect, host, limits } = conversation
    this.#conversation = conversation
    this.#lane = lane
    this.#ahead = new ReadAhead(host.budget, () => this.#waiting())
    this.#intake = new Intake(conversation, new TextReader(dialect, limits, host.budget.limit))
    this.#begin = Direct.takeOf(transport) ?? forking(host.fork, transport.receive)
  }

  /** Whether it holds a text that has no room. */
  get isHolding(): boolean {
    return this.#held !== undefined
  }

  /** Whether it has read what it has not handed on, for want of room or of its turn. */
  get isBehind(): boolean {
    return this.#chunks.length > 0
  }

  /** What the text waits for that was read and cannot be taken. */
  get wait(): Wait | undefined {
    if (this.#held === undefined) return undefined
    return typeof this.#held === "number" ? "budget" : this.#intake.waitOf(this.#held, this.#lane)
  }

  /** Reads the next chunk, where there is room for it. */
  read(): void {
    if (this.#isReading || this.#arrived !== undefined || this.#ended !== undefined) return
    if (this.#conversation.isClosed) return
    const { room } = this.#conversation
    if (this.isBehind && room.mayReadAhead(this.#chunks.length, this.#ahead.size) !== undefined) return
    this.#isReading = true
    const stop = this.#receive()
    if (this.#isReading) this.#stopReading = stop
  }

  /** Hands on until all is handed on, or the rest has to wait. It is a part of each step, and of nothing else. */
  proceed(): void {
    this.#accept()
    // What was written at the end of a chunk, or read ahead, may have made room.
    while (this.isBehind && !this.#isYielding && !this.#mustWait()) {
      if (this.#handOn()) {
        if (this.#ended !== undefined && !this.isBehind) return this.#end(this.#ended)
        if (this.#turn >= fairness) return this.#yield()
      }
      this.read()
      this.#accept()
    }
    this.#ahead.keep()
  }

  stop(): void {
    this.#arrived = undefined
    this.#stopReading?.()
    this.#drop()
    this.#ahead.keep()
  }

  *#waiting(): Iterable<Received> {
    for (const [index, chunk] of this.#chunks.entries()) yield* index === 0 ? chunk.slice(this.#at) : chunk
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
    this.#arrived = exit
    this.#conversation.step()
  }

  /** Looks at what has arrived. Behind a text that waits, more may be read in the same turn. */
  #accept(): void {
    for (let exit = this.#arrived; exit !== undefined; exit = this.#arrived) {
      this.#arrived = undefined
      if (Exit.isFailure(exit)) return this.#end(exit.cause)
      this.#lane.traffic.silentFraming = undefined
      this.#ahead.came(exit.value)
      if (this.isHolding) {
        this.#chunks.push(this.#withoutCancels(exit.value))
        this.read()
      } else {
        this.#chunks.push(exit.value)
        this.#wantsSearch = true
        this.#isUnsearched = true
      }
    }
  }

  /** Runs when nothing more comes, and once more when everything is handed on that came before. */
  #end(cause: Cause.Cause<TransportError>): void {
    this.#ended = cause
    const reason = reasonOf(cause)
    if (reason._tag === "LostPlace" || reason._tag === "ForeignProtocol") {
      const { host, ours } = this.#conversation
      // Calls that wait hear it themselves.
      host.log(`the connection ends: ${describe(reason)}`, ours.size > 0 ? Cause.empty : unexplained)
    }
    this.#conversation.end(reason, this.isBehind)
    if (!this.isBehind) this.#conversation.endCalls()
    this.#conversation.step()
  }

  #mustWait(): boolean {
    // At the end the text is dropped, and not even decoded.
    if (!this.isHolding || this.#isClosed) return false
    const received = this.#chunks[0]?.[this.#at]
    return received !== undefined && this.#ready(received) === undefined
  }

  /** The next text, decoded, unless it has to wait. */
  #ready(received: Received): Decoded | undefined {
    const held = this.#held = typeof received === "string"
      ? this.#intake.peek(received, this.#held, this.#lane)
      : this.#held ?? unreadable(received)
    return typeof held === "number" || this.#intake.waitOf(held, this.#lane) !== undefined ? undefined : held
  }

  /** After an orderly end, what was read is still handed on. */
  get #isClosed(): boolean {
    const { isClosed, reason } = this.#conversation
    return isClosed || this.#lane.traffic.isClosed || (reason !== undefined && !orderly.has(reason._tag))
  }

  /**
   * Hands on the first chunk, or what fits into the turn. Its replies are written at its end, or in two halves: so that
   * the other side has something to do while the second is handed on. Gives `false` where the rest has to wait.
   */
  #handOn(): boolean {
    this.#lane.cork()
    try {
      return this.#handOnAll(this.#chunks[0] ?? [])
    } finally {
      this.#lane.uncork()
    }
  }

  #handOnAll(chunk: ReadonlyArray<Received>): boolean {
    for (; this.#at < chunk.length && this.#turn < fairness && !this.#isClosed; this.#at++) {
      const received = chunk[this.#at]
      if (received === undefined) break
      const decoded = this.#ready(received) ?? this.#readyAfterStep(received)
      if (decoded === undefined) {
        this.#conversation.room.isAwaited = true
        this.#search()
        this.#cut()
        return false
      }
      this.#held = undefined
      this.#ahead.went(received)
      this.#turn++
      this.#take(decoded, received)
      if (this.#at + 1 === chunk.length >> 1) this.#lane.relieve()
    }
    this.#conversation.room.isAwaited = false
    if (this.#isClosed) this.#drop()
    else if (this.#at >= chunk.length) this.#chunks.shift()
    if (this.#chunks[0] !== chunk) this.#at = 0
    this.#conversation.step()
    return true
  }

  /** Starting calls that are queued may make room. */
  #readyAfterStep(received: Received): Decoded | undefined {
    this.#conversation.advance()
    return this.#ready(received)
  }

  #take(decoded: Decoded, received: Received): void {
    if (typeof received !== "string") this.#intake.takeBad(received, this.#lane)
    else this.#intake.take(decoded, this.#lane)
    this.#badFrames = isBad(decoded) ? this.#badFrames + 1 : 0
    if (this.#badFrames >= this.#conversation.limits.badFrames) this.#conversation.end({ _tag: "BadFrames" })
  }

  /** Lets go of the texts of the first chunk that are handed on, where they are more than those that wait. */
  #cut(): void {
    const [first = []] = this.#chunks
    if (this.#at < enoughToCut || 2 * this.#at < first.length) return
    this.#chunks[0] = first.slice(this.#at)
    this.#at = 0
  }

  /** Looks for cancellations behind the text that has no room, of calls that were taken since it looked last. */
  #search(): void {
    if (!this.#wantsSearch || (!this.#isUnsearched && this.#ahead.count > mostSearched)) return
    const [first = [], ...ahead] = this.#chunks
    const [held, ...rest] = first.slice(this.#at)
    if (held === undefined) return
    this.#isUnsearched = false
    this.#wantsSearch = ahead.length > mostSearched
    this.#at = 0
    this.#chunks = [
      [held, ...this.#withoutCancels(rest)],
      ...(ahead.length > mostSearched ? ahead : ahead.map((texts) => this.#withoutCancels(texts)))
    ]
  }

  /** Takes the cancellations out of texts that have to wait. Calls that they make room for start afterwards. */
  #withoutCancels(texts: ReadonlyArray<Received>): ReadonlyArray<Received> {
    return texts.filter((received) => {
      const isCancelled = typeof received === "string" ? this.#intake.tryCancel(received) : undefined
      if (isCancelled === false) this.#wantsSearch = true
      if (isCancelled === true) this.#ahead.went(received)
      return isCancelled !== true
    })
  }

  /** Nothing is handed on after a defect, or after the end. */
  #drop(): void {
    this.#chunks = []
    this.#held = undefined
    this.#ahead.clear()
  }

  #yield(): void {
    this.#turn = 0
    this.#isYielding = true
    this.#conversation.host.fork(Effect.yieldNow).addObserver(() => {
      this.#isYielding = false
      this.read()
      this.#conversation.step()
    })
  }
}

/** Reads in a fiber, for transports that are not `Direct`. */
const forking = (fork: Fork, receive: Transport["receive"]): Direct.Take => (resume) => {
  const fiber = fork(receive)
  fiber.addObserver(resume)
  return () => fiber.interruptUnsafe()
}

const unreadable = ({ excerpt, reason }: BadFrame): Decoded => ({
  text: excerpt,
  batch: Result.fail(new Message.ParseError({ rule: `${reason}: ${excerpt}` })),
  size: badSize,
  weight: 0
})

const isBad = ({ batch }: Decoded): boolean =>
  !Array.isArray(batch) && "failure" in batch && batch.failure._tag === "ParseError"

/** Why a conversation ends when its transport fails. @internal */
export const reasonOf = (cause: Cause.Cause<TransportError>): DisconnectReason =>
  cause.reasons.find(Cause.isFailReason)?.error.reason ?? { _tag: "Lost", cause: Cause.squash(cause) }

/** Characters of a bad frame: as many as its excerpt may have. The shortest text takes as much to keep. */
const badSize = 64

/**
 * How much was read that is not handed on yet. The budget keeps the weight of it, beyond what any connection may read
 * ahead. A sum goes along with what comes and goes: nothing that waits is weighed again.
 */
class ReadAhead {
  /** How many texts wait, and their characters. */
  count = 0
  size = 0
  readonly #budget: Pick<Budget.Budget, "keep">
  /**
   * The weight of these texts: a sum from the moment when they exceed `enoughAhead` until none is left, else
   * `undefined`. A connection that keeps up weighs nothing.
   */
  #weight: number | undefined = undefined
  /** The part of it that the budget knows. */
  #kept = 0
  readonly #all: () => Iterable<Received>

  /** `all` gives what waits. */
  constructor(budget: Pick<Budget.Budget, "keep">, all: () => Iterable<Received>) {
    this.#budget = budget
    this.#all = all
  }

  came(texts: ReadonlyArray<Received>): void {
    this.count += texts.length
    for (const received of texts) {
      this.size += lengthOf(received)
      if (this.#weight !== undefined) this.#weight += weightOf(received)
    }
  }

  went(received: Received): void {
    this.count--
    this.size -= lengthOf(received)
    if (this.#weight !== undefined) this.#weight -= weightOf(received)
  }

  clear(): void {
    this.count = 0
    this.size = 0
  }

  /** Tells the budget what waits. */
  keep(): void {
    if (this.count === 0) this.#weight = undefined
    else if (this.#weight === undefined && this.size > enoughAhead) {
      this.#weight = 0
      for (const received of this.#all()) this.#weight += weightOf(received)
    }
    const weight = this.size > enoughAhead ? this.#weight ?? 0 : 0
    if (weight === this.#kept) return
    const more = weight - this.#kept
    this.#kept = weight
    this.#budget.keep(more)
  }
}

const lengthOf = (received: Received): number =>
  typeof received === "string" ? Math.max(received.length, badSize) : badSize

const weightOf = (received: Received): number => typeof received === "string" ? Weight.ofWaiting(received) : 0
