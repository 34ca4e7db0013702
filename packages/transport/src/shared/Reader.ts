/**
 * How fast the other side of a connection reads, as its budget sees it.
 *
 * Owns when a write that waits counts as unread, and when it is given up; the `Budget` owns which connection ends. The
 * writer says how long a write has made no progress, or lets `stall` measure that.
 *
 * ```ts run
 * import { Budget, Reader } from "@parley/transport/shared"
 *
 * const reader = new Reader.Reader(Budget.make(1024 * 1024), 30_000)
 *
 * // A write has made no progress for 6 seconds: it may wait 24 more.
 * console.log(reader.waits(6_000), reader.isBehind) // => 24000 true
 * reader.takes()
 * console.log(reader.isBehind) // => false
 * ```
 *
 * @since 0.1.0
 */
import type { Clock } from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Budget, Unread } from "./Budget.ts"
import { now } from "./Monotonic.ts"

/**
 * Milliseconds without progress after which the other side counts as one that does not read.
 *
 * @category bounds
 * @since 0.1.0
 */
export const patience = 5_000

/**
 * The reader of one connection, which takes one write after the other. While a write waits, `waits` is called each time
 * that its milliseconds are over, or `stall` runs; `takes` is called when the write has ended.
 *
 * @category models
 * @since 0.1.0
 */
export class Reader {
  readonly #budget: Pick<Budget, "unread">
  readonly #writeStall: number
  #state: Unread = "none"
  #clock: Clock | undefined = undefined
  /** When the write that `stall` watches last made progress. */
  #moved = 0

  constructor(budget: Pick<Budget, "unread">, writeStall: number) {
    this.#budget = budget
    this.#writeStall = writeStall
  }

  /** Whether a write waits. */
  get isBehind(): boolean {
    return this.#state !== "none"
  }

  /**
   * A write has made no progress for so many milliseconds. Gives how many more it may make none until this is called
   * again, or `undefined` where the write is given up.
   */
  waits(idle: number): number | undefined {
    if (idle >= this.#writeStall) return undefined
    const isStalled = idle >= patience
    this.#tell(isStalled ? "stalled" : "waiting")
    return (isStalled ? this.#writeStall : Math.min(patience, this.#writeStall)) - idle
  }

  /** Runs while a write waits, from its beginning, and ends when the write is given up. */
  get stall(): Effect.Effect<void> {
    return Effect.clockWith((clock) => {
      this.#clock = clock
      this.#moved = now(clock)
      return this.#watch(clock)
    })
  }

  /** There is more for the other side to read. */
  gains(): void {
    if (this.isBehind) this.#tell(this.#state)
  }

  /** The other side has taken a part of the write that `stall` watches. */
  moves(): void {
    if (this.#clock === undefined) return
    this.#moved = now(this.#clock)
    this.#tell("waiting")
  }

  /** The other side has taken the write, or needs it no more. */
  takes(): void {
    if (this.isBehind) this.#tell("none")
  }

  #watch(clock: Clock): Effect.Effect<void> {
    const left = this.waits(now(clock) - this.#moved)
    if (left === undefined) return Effect.void
    // The write may move during this sleep and stop again: then it has stalled `patience` later.
    return Effect.flatMap(Effect.sleep(Math.min(left, patience)), () => this.#watch(clock))
  }

  #tell(now: Unread): void {
    const before = this.#state
    this.#state = now
    this.#budget.unread(now, before)
  }
}
