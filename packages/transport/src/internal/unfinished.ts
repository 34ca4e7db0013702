/**
 * Counts the parts of an unfinished message that the platform keeps and does not report.
 *
 * Counts the sizes of what is read, and how many reads there were. After a read in
 * which a message ended it counts nothing, because what follows the message is less
 * than that read. Control frames may come within a message and are not counted. It
 * needs no timer: it looks at the time when something comes, and the keep-alive
 * notices a silence.
 */
import type { Limits } from "@parley/protocol/Limits"
import type { Clock } from "effect/Clock"
import type { Budget } from "../host/Budget.ts"
import type * as TransportError from "../TransportError.ts"
import * as monotonic from "./monotonic.ts"

/** Bytes that each piece takes beside its own. */
const pieceOverhead = 256

export class Unfinished {
  private readonly limits: Pick<Limits, "partialFrame">
  private readonly budget: Budget | undefined
  private readonly clock: Clock
  private bytes = 0
  /** Reads that brought them: each is a piece that the platform keeps by itself. */
  private pieces = 0
  /** The weight that is taken from the budget for them. */
  private weight = 0
  /** When its first bytes came, or when reading went on after a pause. */
  private since: number | undefined
  /** What the current read has brought. */
  private isWhole = false
  private controls = 0

  constructor(limits: Pick<Limits, "partialFrame">, budget: Budget | undefined, clock: Clock) {
    this.limits = limits
    this.budget = budget
    this.clock = clock
  }

  /** A message ended. */
  message(): void {
    this.isWhole = true
  }

  /** A control frame of so many bytes came. */
  control(bytes: number): void {
    this.controls += bytes
  }

  /** A read of so many bytes is over. Gives the reason to end the connection, if there is one. */
  read(bytes: number): TransportError.Reason | undefined {
    this.hold(this.isWhole ? 0 : Math.max(0, this.bytes + bytes - this.controls))
    this.isWhole = false
    this.controls = 0
    if (this.bytes === 0) return undefined
    const now = monotonic.now(this.clock)
    this.since ??= now
    const { partialFrame } = this.limits
    if (now - this.since >= partialFrame) return { _tag: "FrameTimeout", milliseconds: partialFrame }
    return this.budget?.isSpent() === true && !this.budget.evict() ? { _tag: "BudgetSpent" } : undefined
  }

  /** Reading pauses: the time starts again with the next bytes. */
  wait(): void {
    this.since = undefined
  }

  /** Gives back what it took. */
  drop(): void {
    this.hold(0)
  }

  private hold(bytes: number): void {
    this.bytes = bytes
    this.pieces = bytes === 0 ? 0 : this.pieces + 1
    const weight = bytes + pieceOverhead * this.pieces
    this.budget?.take(weight - this.weight)
    this.weight = weight
    if (bytes === 0) this.since = undefined
  }
}
