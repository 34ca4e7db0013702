/**
 * The calls that wait for their turn, in the order they came: an array with a
 * moving head, because a shift of a long array moves all of it. A call that is
 * deleted keeps its place, empty, until the head comes there.
 *
 * Those that may overtake the others stand in a list beside it, so that the first
 * of them is found without a look at the others.
 */
import { Roster } from "@parley/transport/host/Roster"
import type { LaneCall } from "../conversation/Lane.ts"

/** Places that may be empty before the array is made anew, beside as many as there are calls. */
const slack = 1024

/** @internal */
export class CallQueue {
  /** Calls that wait. */
  count = 0
  /** Characters of all calls together. */
  size = 0
  #calls: Array<LaneCall> = []
  #head = 0
  readonly #overtaking = new Roster<LaneCall>()

  push(call: LaneCall, mayOvertake: boolean): void {
    call.isQueued = true
    call.mayOvertake = mayOvertake
    if (mayOvertake) this.#overtaking.add(call)
    this.#calls.push(call)
    this.count++
    this.size += call.size
  }

  peek(): LaneCall | undefined {
    if (this.count === 0) return undefined
    while (this.#calls[this.#head]?.isQueued === false) this.#head++
    return this.#calls[this.#head]
  }

  delete(call: LaneCall): void {
    if (!call.isQueued) return
    call.isQueued = false
    if (call.mayOvertake) this.#overtaking.delete(call)
    this.count--
    this.size -= call.size
    // Nobody may fill the queue with calls that they cancel, and an empty queue keeps none.
    if (this.count > 0 && this.#calls.length <= 2 * this.count + slack) return
    this.#calls = this.all()
    this.#head = 0
  }

  /** The calls that wait, in their order. */
  all(): Array<LaneCall> {
    return this.#calls.slice(this.#head).filter(({ isQueued }) => isQueued)
  }

  /** The first call that may overtake others. */
  get overtaking(): LaneCall | undefined {
    return this.#overtaking.first
  }

  /** Takes out those that a predicate names. */
  remove(predicate: (call: LaneCall) => boolean): ReadonlyArray<LaneCall> {
    const removed = this.all().filter(predicate)
    for (const call of removed) this.delete(call)
    return removed
  }
}
