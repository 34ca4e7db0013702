/**
 * Calls by their ids, which are consecutive numbers: a hash table with linear
 * probing, where a call that is farther from its own slot goes first ("robin
 * hood"). So a foreign id is a miss after a step or two, however many calls wait.
 *
 * A `Map` would cost several times as much here. Each time it is full of deleted entries it takes a new table, and the
 * old table refers to the new one. Once one of them has grown old, all later tables outlive each minor garbage
 * collection, with the calls that were in them.
 */

/** Slots of a table that has had calls. Most conversations that answer make none. */
const least = 16

/** Members of a table have ids of their own. */
export class CallTable<Call extends { readonly id: number }> {
  /** How many calls there are. */
  size = 0
  #slots: Array<Call | undefined> = [undefined]

  get(id: unknown): Call | undefined {
    return typeof id === "number" ? this.#slots[this.#find(id)] : undefined
  }

  add(call: Call): void {
    this.size++
    if (2 * this.size > this.#slots.length) this.#resize(Math.max(least, 2 * this.#slots.length))
    this.#put(call)
  }

  /** Gives whether it was there. */
  delete({ id }: Call): boolean {
    const slots = this.#slots
    const last = slots.length - 1
    let gap = this.#find(id)
    if (gap === -1) return false
    this.size--
    // Those behind it that are not in their own slots move up.
    for (let at = gap + 1 & last, next = slots[at]; next !== undefined && (at - next.id & last) > 0; next = slots[at]) {
      slots[gap] = next
      gap = at
      at = at + 1 & last
    }
    slots[gap] = undefined
    if (slots.length > least && 8 * this.size < slots.length) this.#resize(slots.length / 2)
    return true
  }

  /** For how many calls it has slots. */
  get capacity(): number {
    return this.#slots.length
  }

  /** One of the calls. */
  any(): Call | undefined {
    return this.#slots.find((call) => call !== undefined)
  }

  /** All calls, in the order of their ids. */
  all(): Array<Call> {
    return this.#slots.filter((call) => call !== undefined).sort((a, b) => a.id - b.id)
  }

  /** The slot of a call, or -1. */
  #find(id: number): number {
    const slots = this.#slots
    const last = slots.length - 1
    for (let at = id & last, far = 0;; at = at + 1 & last, far++) {
      const call = slots[at]
      if (call === undefined || (at - call.id & last) < far) return -1
      if (call.id === id) return at
    }
  }

  #put(call: Call): void {
    const slots = this.#slots
    const last = slots.length - 1
    for (let at = call.id & last, far = 0;; at = at + 1 & last, far++) {
      const other = slots[at]
      const its = other === undefined ? -1 : at - other.id & last
      if (its >= far) continue
      slots[at] = call
      if (other === undefined) return
      call = other
      far = its
    }
  }

  #resize(length: number): void {
    const calls = this.#slots
    this.#slots = Array.from({ length })
    for (const call of calls) if (call !== undefined) this.#put(call)
  }
}
