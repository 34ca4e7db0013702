/**
 * The messages of a wire that nobody has received yet.
 *
 * Owns their order and size, the one-reader rule, the first failure of each
 * direction (which stays), and the closing that happens once. The wire owns how
 * messages come and go. Sizes are UTF-16 units. A text that comes while the reader
 * waits is received in the same turn, without a queue or a fiber in between.
 */
import type { Limits } from "@parley/protocol/Limits"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Budget } from "../shared/Budget.ts"
import * as Direct from "../shared/Direct.ts"
import type { Received } from "../Transport.ts"
import * as TransportError from "./TransportError.ts"

type Failure = Exit.Exit<never, TransportError.TransportError>

type Texts = NonEmptyReadonlyArray<Received>
type Resume = (exit: Exit.Exit<Texts, TransportError.TransportError>) => void

/** How much may lie unread. */
export interface Bounds {
  /** Beyond so many units the connection ends with `Unread`. Without it the wire makes the other side wait. */
  readonly unread?: number
  /** Texts that lie unread count against it. Where it is spent and nobody waits, the heaviest connection ends. */
  readonly budget: Budget | undefined
}

/** The bounds of one connection whose other side may have so many units on their way, and one frame more. */
export const boundsOf = (limits: Limits, budget: Budget | undefined, window: number): Bounds => ({
  unread: limits.frame + overhead + window,
  budget
})

/** The weight of an empty message. */
const overhead = 64

/**
 * The weight of an unread message: its units, and a constant, so that a flood of empty messages is bounded, too.
 */
export const weightOf = (received: Received): number =>
  overhead + (typeof received === "string" ? received.length : received.excerpt.length)

/** One direction's waiting texts, and the ends of both directions. */
export class Inbox {
  private readonly bounds: Bounds | undefined
  private readonly onTaken: ((size: number) => void) | undefined
  private texts: Array<Received> = []
  private size = 0
  private ended: Failure | undefined
  private failed: Failure | undefined
  private closed = false
  private reader: Resume | undefined

  /** Without bounds the wire bounds its senders itself. `onTaken` is called with the size of what was received. */
  constructor(
    options: { readonly bounds?: Bounds | undefined; readonly onTaken?: ((size: number) => void) | undefined } = {}
  ) {
    this.bounds = options.bounds
    this.onTaken = options.onTaken
  }

  /** Units that lie unread. */
  get unread(): number {
    return this.size
  }

  /** The failure of every `send`, if there is one. Never the end of the input. */
  get broken(): Failure | undefined {
    return this.failed
  }

  readonly receive = Direct.receive((resume) => {
    if (this.reader !== undefined) {
      return void resume(Exit.die(new Error("A transport has one reader: receive was called while it waits.")))
    }
    if (this.texts.length > 0) {
      // Its length was looked at.
      const texts = this.texts as unknown as Texts
      const size = this.size
      this.drop()
      this.onTaken?.(size)
      return void resume(Exit.succeed(texts))
    }
    if (this.ended !== undefined) return void resume(this.ended)
    this.reader = resume
    return this.forget
  })

  /** There is one reader, so it is the one that stops. */
  private readonly forget = () => {
    this.reader = undefined
  }

  /** Takes a message. False when it ended the connection, or came after its end: then the wire must stop. */
  push(received: Received, size: number): boolean {
    return this.hand([received]) || this.keep(received, size)
  }

  /** Gives texts to the waiting reader. False when there is none. */
  hand(texts: Texts): boolean {
    const reader = this.reader
    if (reader === undefined) return false
    // Resuming runs the reader at once, and it may read again before it returns.
    this.reader = undefined
    reader(Exit.succeed(texts))
    return true
  }

  /** Keeps a message that nobody waits for. False as for `push`. */
  keep(received: Received, size: number): boolean {
    if (this.ended !== undefined) return false
    this.texts.push(received)
    this.size += size
    if (this.bounds === undefined) return true
    const { budget, unread } = this.bounds
    budget?.take(size)
    if (unread === undefined) return true
    if (this.size > unread) this.end({ _tag: "Unread", bytes: this.size })
    else if (budget?.isSpent() === true && !budget.evict()) this.end({ _tag: "BudgetSpent" })
    return this.ended === undefined
  }

  /**
   * Nothing more will come. The texts that lie here are received first. All but `EndOfInput` also ends the sending.
   */
  end(reason: TransportError.TransportReason): void {
    const failure = Exit.fail(TransportError.transportError(reason))
    if (reason._tag !== "EndOfInput") this.failed ??= failure
    this.ended ??= failure
    const reader = this.reader
    if (reader === undefined) return
    this.reader = undefined
    reader(this.ended)
  }

  /** Nothing more can be sent; what comes is still received. */
  breakOff(reason: TransportError.TransportReason): void {
    this.failed ??= Exit.fail(TransportError.transportError(reason))
  }

  /** Ends both directions from this side and drops the unread messages. True the first time. */
  close(): boolean {
    if (this.closed) return false
    this.closed = true
    this.drop()
    this.end({ _tag: "Closed" })
    return true
  }

  private drop(): void {
    this.bounds?.budget?.take(-this.size)
    this.texts = []
    this.size = 0
  }
}

/** The senders that wait for room on the wire. */
export class Waiters {
  private waiting: Array<(exit: Exit.Exit<void, TransportError.TransportError>) => void> = []

  /** Waits until `release`. */
  readonly wait = Effect.callback<void, TransportError.TransportError>((resume) => {
    this.waiting.push(resume)
    return Effect.sync(() => {
      this.waiting = this.waiting.filter((other) => other !== resume)
    })
  })

  /** Wakes all, in the order they came. */
  release(exit: Exit.Exit<void, TransportError.TransportError>): void {
    const waiting = this.waiting
    if (waiting.length === 0) return
    this.waiting = []
    for (const resume of waiting) resume(exit)
  }
}
