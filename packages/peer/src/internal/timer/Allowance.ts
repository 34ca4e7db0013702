/**
 * More time for a call than its timeout says: each progress starts the timeout anew, and what its clock stood still does
 * not count.
 */
import type { CallClock } from "../../CallClock.ts"
import type { Deadline, DeadlineQueue } from "./DeadlineQueue.ts"

/** A deadline with the milliseconds that it was given. @internal */
export interface Timed extends Deadline {
  timeout: number
}

/** @internal */
export class Allowance {
  /** The latest time that progress extends to, while the clock does not stand still; `undefined` where it extends nothing. */
  readonly #latest: number | undefined
  readonly #most: number
  readonly #clock: CallClock | undefined
  /** How long the clock had stood still when the call was made. */
  readonly #begun: number
  /** The same when the deadline was set last. */
  #seen: number

  constructor(call: Timed, most: number | undefined, clock: CallClock | undefined) {
    this.#latest = most === undefined || most <= call.timeout ? undefined : call.due - call.timeout + most
    this.#most = most ?? call.timeout
    this.#clock = clock
    this.#begun = this.#seen = this.#stopped()
  }

  /** Progress came. */
  prolong(call: Timed, timers: DeadlineQueue): void {
    if (call.bucket === undefined || this.#latest === undefined) return
    const left = this.#latest + this.#stopped() - this.#begun - timers.now()
    if (left <= 0) return
    timers.cancel(call)
    this.#set(call, timers, Math.min(call.timeout, left))
    // An error names the time that the call was given in all.
    if (left <= call.timeout) call.timeout = this.#most
  }

  /** Whether a call whose deadline has passed gets more time. It is set again, or will be when the clock goes on. */
  defers(call: Timed, timers: DeadlineQueue, isWaiting: () => boolean): boolean {
    const again = () => this.#set(call, timers, Math.max(0, call.due + this.#stopped() - this.#seen - timers.now()))
    if (this.#clock?.onStart(() => isWaiting() && again()) === true) return true
    if (this.#stopped() === this.#seen) return false
    again()
    return true
  }

  #set(call: Timed, timers: DeadlineQueue, milliseconds: number): void {
    this.#seen = this.#stopped()
    timers.set(call, milliseconds)
  }

  #stopped(): number {
    return this.#clock?.stopped() ?? 0
  }
}
