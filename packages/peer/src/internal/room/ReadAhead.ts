/**
 * How much was read that is not handed on yet. The budget keeps the weight of it, beyond what any connection may read
 * ahead. A sum goes along with what comes and goes: nothing that waits is weighed again.
 */
import * as Weight from "@parley/protocol/text/Weight"
import type { Budget } from "@parley/transport/host/Budget"
import type { Received } from "@parley/transport/Transport"
import { enoughAhead } from "./Room.ts"

/** Characters of a bad frame: as many as its excerpt may have. The shortest text takes as much to keep. */
export const badSize = 64

/** What was read, and is not handed on. */
export class ReadAhead {
  /** How many texts wait, and their characters. */
  count = 0
  size = 0
  readonly #budget: Pick<Budget, "keep">
  /**
   * The weight of these texts: a sum from the moment when they exceed `enoughAhead` until none is left, else
   * `undefined`. A connection that keeps up weighs nothing.
   */
  #weight: number | undefined = undefined
  /** The part of it that the budget knows. */
  #kept = 0

  readonly #all: () => Iterable<Received>

  /** `all` gives what waits. */
  constructor(budget: Pick<Budget, "keep">, all: () => Iterable<Received>) {
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
