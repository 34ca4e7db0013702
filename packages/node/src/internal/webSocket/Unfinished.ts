/**
 * Counts the parts of an unfinished message that the platform keeps and does not report.
 *
 * A part keeps the whole read that brought it, so whole reads count, and each part
 * counts beside them. A read that brings no part, as of pings, counts nothing. It
 * needs no timer: it looks at the time when something comes, and the keep-alive
 * notices a silence.
 */
import type { Limits } from "@parley/protocol/Limits"
import { Budget, Monotonic } from "@parley/transport/shared"
import type * as Transport from "@parley/transport/Transport"
import type * as WebSocketTransport from "@parley/transport/WebSocketTransport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Frames } from "./Frames.ts"

/** What a part takes beside its bytes: a view, and its place. */
const partOverhead = 256

/** Counts the parts for a connection that is made in this context. `listen` has its function called after each read. */
export const make = (
  limits: Pick<Limits, "partialFrame">,
  listen: WebSocketTransport.Unfinished["listen"]
): Effect.Effect<WebSocketTransport.Unfinished> =>
  Effect.zipWith(Clock.Clock, Budget.Budget, (clock, budget) => new Unfinished(limits, budget, clock, listen))

class Unfinished implements WebSocketTransport.Unfinished {
  readonly listen: WebSocketTransport.Unfinished["listen"]
  private readonly limits: Pick<Limits, "partialFrame">
  private readonly budget: Budget.Budget | undefined
  private readonly clock: Clock.Clock
  private readonly frames = new Frames()
  private messages = 0
  /** Bytes of the reads that brought parts of it. */
  private bytes = 0
  /** How many reads that were: of a fragment that has not ended, the platform keeps each. */
  private reads = 0
  /** The weight that is taken from the budget for them. */
  private weight = 0
  /** When its first bytes came, or when reading went on after a pause. */
  private since: number | undefined

  constructor(
    limits: Pick<Limits, "partialFrame">,
    budget: Budget.Budget | undefined,
    clock: Clock.Clock,
    listen: WebSocketTransport.Unfinished["listen"]
  ) {
    this.listen = listen
    this.limits = limits
    this.budget = budget
    this.clock = clock
  }

  /** A read is over. Gives the reason to end the connection, if there is one. */
  read(bytes: Uint8Array): Transport.TransportReason | undefined {
    const { frames } = this
    const isPart = frames.read(bytes)
    if (frames.messages !== this.messages) {
      this.messages = frames.messages
      this.forget()
    }
    if (isPart) {
      this.bytes += bytes.length
      this.reads++
    }
    const isUnfinished = this.bytes > 0
    if (isUnfinished || this.weight > 0) this.hold()
    if (!isUnfinished) return undefined
    const now = Monotonic.now(this.clock)
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
    this.forget()
    this.hold()
  }

  private forget(): void {
    this.bytes = 0
    this.reads = 0
    this.since = undefined
  }

  private hold(): void {
    const parts = this.bytes === 0 ? 0 : this.reads + this.frames.fragments
    const weight = this.bytes + partOverhead * parts
    this.budget?.take(weight - this.weight)
    this.weight = weight
  }
}
