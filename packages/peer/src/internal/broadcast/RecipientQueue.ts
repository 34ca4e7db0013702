/**
 * The entries that wait for one recipient of an audience, oldest first, bounded by count and weight.
 */

/** An entry that is published. It counts for the characters of its text. */
export interface Entry {
  readonly weight: number
}

/** The bounds of a queue. */
export interface QueueLimits {
  readonly messages: number
  readonly bytes: number
}

/** Entries at the front that are taken out before the array is cut. */
const enough = 64

/** @internal */
export class RecipientQueue<E extends Entry> {
  readonly #limits: QueueLimits
  #entries: Array<E> = []
  #first = 0
  #weight = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.length - this.#first
  }

  get first(): E | undefined {
    return this.#entries[this.#first]
  }

  /** Whether it has room. One entry always has, however long it is. */
  fits({ weight }: Entry): boolean {
    const { bytes, messages } = this.#limits
    return this.size === 0 || (this.size < messages && this.#weight + weight <= bytes)
  }

  push(entry: E): void {
    this.#entries.push(entry)
    this.#weight += entry.weight
  }

  shift(): E | undefined {
    const entry = this.first
    if (entry === undefined) return undefined
    this.#weight -= entry.weight
    this.#first++
    // A cut costs as much as what is left: it comes after as many entries were taken out.
    if (this.#first >= enough && this.#first * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
    return entry
  }

  /** Puts an entry back that was the first. */
  putBack(entry: E): void {
    if (this.#first === 0) this.#entries.unshift(entry)
    else this.#entries[--this.#first] = entry
    this.#weight += entry.weight
  }

  /** Takes all. */
  clear(): Array<E> {
    const entries = this.#first === 0 ? this.#entries : this.#entries.slice(this.#first)
    this.#entries = []
    this.#first = 0
    this.#weight = 0
    return entries
  }
}
