/**
 * The calls that wait for their turn, in the order they came. Those that may overtake the others stand in a line beside
 * it, so that the first of them is found without a look at the others.
 */
import { Roster } from "@parley/transport/shared"
import type { Lane, LaneCall } from "../conversation/Lane.ts"
import { Overtaking } from "./IncomingCall.ts"

/** @internal */
export class CallQueue {
  /** Calls that wait. */
  count = 0
  /** Characters of all calls together. */
  size = 0
  readonly #calls = new Roster.Roster<LaneCall>()
  readonly #overtaking = new Roster.Roster<Overtaking<Lane>>()

  push(call: LaneCall, mayOvertake: boolean): void {
    call.isQueued = true
    if (mayOvertake) this.#overtaking.add(call.overtaking = new Overtaking(call))
    this.#calls.add(call)
    this.count++
    this.size += call.size
  }

  /** The first call. */
  get first(): LaneCall | undefined {
    return this.#calls.first
  }

  /** The first call that may overtake others. */
  get overtaking(): LaneCall | undefined {
    return this.#overtaking.first?.call
  }

  delete(call: LaneCall): void {
    if (!call.isQueued) return
    call.isQueued = false
    if (call.overtaking !== undefined) this.#overtaking.delete(call.overtaking)
    this.#calls.delete(call)
    this.count--
    this.size -= call.size
  }

  /** The calls that wait, in their order. */
  all(): Array<LaneCall> {
    return this.#calls.all()
  }

  /** Takes out those that a predicate names. */
  remove(predicate: (call: LaneCall) => boolean): ReadonlyArray<LaneCall> {
    const removed = this.all().filter(predicate)
    for (const call of removed) this.delete(call)
    return removed
  }
}
