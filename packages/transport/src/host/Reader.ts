/**
 * How the other side of a connection reads what is written for it, as its budget is told.
 *
 * Owns when a write that waits counts as one that nobody reads, and when it is given
 * up; the `Budget` owns which connection ends. It has no timer: who writes asks it
 * how long to wait, and what then.
 *
 * @since 0.1.0
 */
import type { Budget, Unread } from "./Budget.ts"

/** Milliseconds without progress after which the other side counts as one that does not read. */
const patience = 5_000

/**
 * The reader of one connection, which takes one write after the other. A write that waits calls `waits`, then
 * `stillWaits` each time that those milliseconds are over, and `takes` when it has ended.
 *
 * @category models
 * @since 0.1.0
 */
export class Reader {
  readonly #budget: Pick<Budget, "unread">
  readonly #writeStall: number
  #state: Unread = "none"

  constructor(budget: Pick<Budget, "unread">, writeStall: number) {
    this.#budget = budget
    this.#writeStall = writeStall
  }

  /** Whether a write waits. */
  get isBehind(): boolean {
    return this.#state !== "none"
  }

  /** A write begins to wait. Gives the milliseconds that it may do so at first. */
  waits(): number {
    this.#tell("waiting")
    return Math.min(patience, this.#writeStall)
  }

  /** These are over. Gives how many there are left, or `undefined` where the write is given up. */
  stillWaits(): number | undefined {
    if (this.#state === "stalled" || this.#writeStall <= patience) return undefined
    this.#tell("stalled")
    return this.#writeStall - patience
  }

  /** There is more to read. */
  gains(): void {
    if (this.isBehind) this.#tell(this.#state)
  }

  /** It has taken what was written, or needs it no more. */
  takes(): void {
    if (this.isBehind) this.#tell("none")
  }

  #tell(now: Unread): void {
    const before = this.#state
    this.#state = now
    this.#budget.unread(now, before)
  }
}
