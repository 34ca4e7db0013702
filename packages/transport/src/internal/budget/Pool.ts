/**
 * The weight that the shares of one budget take together: who hears of room, and who
 * has to end where there is none.
 */
import * as Ending from "./ending.ts"
import { LeastFirst, type Waiting } from "./leastFirst.ts"

/** A share, as its pool knows it. */
export interface Member extends Waiting, Ending.Candidate {
  /** Ends its connection. */
  readonly leave: () => void
  /** Tells those that wait for room on it. */
  readonly tell: () => void
}

/** Shares whose guarantees fit into an eighth of a budget: as many as the connections that `Limits.connections` allows. */
const guaranteed = 1024

/** The weight that is taken together, and whose turn it is to get some or to give it back. */
export class Pool {
  readonly limit: number
  readonly guarantee: number
  /** Those that can be ended, and those that are about to be given back for that. */
  readonly parts = new Set<Member>()
  /** Those that were refused something. Others need not hear of room: thousands may wait, or have nothing to do. */
  readonly #refused = new LeastFirst<Member>()
  taken = 0
  #willTell = false
  /** Those that write while room is made for them. */
  readonly #writers = new Set<Member>()

  constructor(limit: number) {
    this.limit = limit
    this.guarantee = limit / (8 * guaranteed)
  }

  isSpent(): boolean {
    return this.taken >= this.limit
  }

  take(weight: number): void {
    const wasSpent = this.isSpent()
    this.taken += weight
    if (weight >= 0) return
    if (wasSpent) this.#tell()
    else if (this.#next() !== undefined) this.#tellSoon()
  }

  /** Has a share hear of it when there is so much room. */
  refuse(part: Member, need: number): void {
    this.#refused.add(part, need)
  }

  forget(part: Member): void {
    this.#refused.delete(part)
  }

  evict(): boolean {
    if (!this.isSpent()) return false
    if (Ending.leftOf(this.parts, this.taken) < this.limit) return true
    const heaviest = Ending.heaviestOf(this.parts, this.guarantee, Ending.isStalled) ??
      Ending.heaviestOf(this.parts, 0, () => true)
    heaviest?.leave()
    return heaviest !== undefined
  }

  /** Makes room for what a share writes, among those whose other sides do not read. */
  relieve(writer: Member): void {
    if (!this.isSpent()) return
    // Ending one may let others write, who ask for the same.
    this.#writers.add(writer)
    if (this.#writers.size > 1) return
    try {
      for (let next = this.#nextToEnd(); next !== undefined; next = this.#nextToEnd()) next.leave()
    } finally {
      this.#writers.clear()
    }
  }

  /** Ends those that keep the most, until the others keep no more than an eighth. */
  endKeepers(): void {
    for (let next = this.#keeper(); next !== undefined; next = this.#keeper()) next.leave()
  }

  #keeper(): Member | undefined {
    return Ending.keeperOf(this.parts, this.limit / 8)
  }

  /** Whose connection should end next because its other side does not read, if any should. */
  #nextToEnd(): Member | undefined {
    const left = Ending.leftOf(this.parts, this.taken)
    if (left < this.limit) return undefined
    const stalled = Ending.heaviestOf(this.parts, this.guarantee, Ending.isStalled)
    if (stalled !== undefined || left < this.limit + guaranteed * this.guarantee) return stalled
    return Ending.heaviestOf(
      this.parts,
      this.guarantee,
      (part) => part.reader === "waiting" && !this.#writers.has(part)
    )
  }

  /** The first of those that were refused less than there is room for now. */
  #next(): Member | undefined {
    const { first } = this.#refused
    return first !== undefined && first.need <= this.limit - this.taken ? first : undefined
  }

  /** Tells of room once for all that is given back in a turn. */
  #tellSoon(): void {
    if (this.#willTell) return
    this.#willTell = true
    queueMicrotask(() => {
      this.#willTell = false
      this.#tell()
    })
  }

  #tell(): void {
    for (let part = this.#next(); part !== undefined; part = this.#next()) {
      this.#refused.delete(part)
      part.tell()
    }
  }
}
