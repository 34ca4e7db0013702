/**
 * The calls that wait for their turn, in the order they came: an array with a
 * moving head, because a shift of a long array moves all of it. A call that is
 * deleted keeps its place, empty, until the head comes there.
 */
import type { LaneCall } from "../conversation/Lane.ts"

/** How far the head moves before the part behind it is let go. */
const slack = 1024

/** @internal */
export class CallQueue {
  /** Calls that wait. */
  count = 0
  /** Characters of all calls together. */
  size = 0
  #calls: Array<LaneCall> = []
  #head = 0

  push(call: LaneCall): void {
    call.isQueued = true
    this.#calls.push(call)
    this.count++
    this.size += call.size
  }

  peek(): LaneCall | undefined {
    if (this.count === 0) return undefined
    while (this.#calls[this.#head]?.isQueued === false) this.#head++
    return this.#calls[this.#head]
  }

  /** Takes out the call that `peek` gives. */
  shift(): void {
    const call = this.peek()
    if (call === undefined) return
    this.#head++
    this.delete(call)
    if (this.count === 0) this.#keep([])
    else if (this.#head >= slack) this.#keep(this.#calls.slice(this.#head))
  }

  delete(call: LaneCall): void {
    if (!call.isQueued) return
    call.isQueued = false
    this.count--
    this.size -= call.size
    // Nobody may fill the queue with calls that they cancel.
    if (this.#calls.length - this.#head > 2 * this.count + slack) this.#keep(this.all())
  }

  /** The calls that wait, in their order. */
  all(): Array<LaneCall> {
    return this.#calls.slice(this.#head).filter(({ isQueued }) => isQueued)
  }

  find(predicate: (call: LaneCall) => boolean): LaneCall | undefined {
    for (let at = this.#head; at < this.#calls.length; at++) {
      const call = this.#calls[at]
      if (call?.isQueued === true && predicate(call)) return call
    }
    return undefined
  }

  /** Takes out those that a predicate names. */
  remove(predicate: (call: LaneCall) => boolean): ReadonlyArray<LaneCall> {
    const removed = this.all().filter(predicate)
    for (const call of removed) this.delete(call)
    return removed
  }

  #keep(calls: Array<LaneCall>): void {
    this.#calls = calls
    this.#head = 0
  }
}
