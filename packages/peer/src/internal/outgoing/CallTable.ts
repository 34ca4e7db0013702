/**
 * Calls by their ids, which are consecutive numbers: a hash table whose chains
 * are linked through the calls. While calls end about in the order they began,
 * finding, adding and deleting cost the same, however many wait.
 *
 * A `Map` would cost several times as much here. Each time it is full of deleted entries it takes a new table, and the
 * old table refers to the new one. Once one of them has grown old, all later tables outlive each minor garbage
 * collection, with the calls that were in them.
 */

/** Chains of a table that has had calls. Most conversations that answer make none. */
const least = 16

/**
 * The chain of an id: the high bits of its product with the golden ratio, which lie apart for ids one after the other, and
 * for ids in strides, as they are when others between them have ended.
 */
const placeOf = (id: number, length: number): number =>
  Math.imul(id, 0x9E3779B1) >>> Math.clz32(length) + 1 & length - 1

/** What a table holds. Each member has an id of its own. */
export interface Chained<Call> {
  readonly id: number
  /** The next of its chain. The table owns it. */
  next: Call | undefined
}

export class CallTable<Call extends Chained<Call>> {
  /** How many calls there are. */
  size = 0
  #chains: Array<Call | undefined> = [undefined]

  get(id: unknown): Call | undefined {
    if (typeof id !== "number") return undefined
    let call = this.#chains[placeOf(id, this.#chains.length)]
    while (call !== undefined && call.id !== id) call = call.next
    return call
  }

  /** Adds one that is in no table. */
  add(call: Call): void {
    this.size++
    if (this.size > this.#chains.length) this.#resize(Math.max(least, 2 * this.#chains.length))
    this.#put(call)
  }

  /** Gives whether it was there. */
  delete(call: Call): boolean {
    const chains = this.#chains
    const at = placeOf(call.id, chains.length)
    let earlier: Call | undefined
    let member = chains[at]
    while (member !== undefined && member !== call) {
      earlier = member
      member = member.next
    }
    if (member === undefined) return false
    if (earlier === undefined) chains[at] = call.next
    else earlier.next = call.next
    call.next = undefined
    this.size--
    if (chains.length > least && 8 * this.size < chains.length) this.#resize(chains.length / 2)
    return true
  }

  /** For how many calls it has chains. */
  get capacity(): number {
    return this.#chains.length
  }

  /** All calls, in the order of their ids. */
  all(): Array<Call> {
    return this.#unordered().sort((a, b) => a.id - b.id)
  }

  #unordered(): Array<Call> {
    const calls: Array<Call> = []
    for (let call of this.#chains) for (; call !== undefined; call = call.next) calls.push(call)
    return calls
  }

  #put(call: Call): void {
    const at = placeOf(call.id, this.#chains.length)
    call.next = this.#chains[at]
    this.#chains[at] = call
  }

  #resize(length: number): void {
    const calls = this.#unordered()
    this.#chains = Array.from({ length })
    for (const call of calls) this.#put(call)
  }
}
