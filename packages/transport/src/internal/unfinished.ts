/**
 * What has come of a message that is not whole yet, where the platform keeps it and tells nothing of it.
 *
 * Counts by the sizes of what is read. A read in which a message ended counts for
 * nothing, as what follows the message is less than that read; and control frames,
 * which may come within a message, are no part of it. It needs no timer: the time is
 * looked at when something comes, and a silence is for the keep-alive to notice.
 */
import type { Limits } from "@parley/protocol/Limits"
import type { Clock } from "effect/Clock"
import type { Budget } from "../Budget.ts"
import type * as TransportError from "../TransportError.ts"

export class Unfinished {
  private readonly limits: Pick<Limits, "partialFrame">
  private readonly budget: Budget | undefined
  private readonly clock: Clock
  /** Bytes, taken from the budget. */
  private held = 0
  /** When its first bytes came, as far as we have read on since. */
  private since: number | undefined
  /** What the read that is going on has brought. */
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

  /** A read of so many bytes is over. Gives why there must not be more of the message. */
  read(bytes: number): TransportError.Reason | undefined {
    this.hold(this.isWhole ? 0 : Math.max(0, this.held + bytes - this.controls))
    this.isWhole = false
    this.controls = 0
    if (this.held === 0) return undefined
    const now = this.clock.currentTimeMillisUnsafe()
    this.since ??= now
    const { partialFrame } = this.limits
    if (now - this.since >= partialFrame) return { _tag: "FrameTimeout", milliseconds: partialFrame }
    return this.budget?.isSpent() === true ? { _tag: "BudgetSpent" } : undefined
  }

  /** We make the other side wait: the time starts again with what comes next. */
  wait(): void {
    this.since = undefined
  }

  /** Gives back what it took. */
  drop(): void {
    this.hold(0)
  }

  private hold(bytes: number): void {
    this.budget?.take(bytes - this.held)
    this.held = bytes
    if (bytes === 0) this.since = undefined
  }
}
