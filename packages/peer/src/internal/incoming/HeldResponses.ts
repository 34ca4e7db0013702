/**
 * Responses that wait for the handlers of the notifications before them, where a program asks for that order.
 *
 * A notification holds back the responses behind it until its handler ends or first waits for the other side, as it
 * holds back the calls behind it. The reading goes on meanwhile, because the other side may wait for it; so what is held
 * counts on the budget. A response that is held has come in time: when the time of its call runs out, the call gets it.
 */
import { type Linked, Roster } from "@parley/transport/host/Roster"
import * as Context from "effect/Context"
import type { Entry } from "../../Correlator.ts"
import type { LaneCall } from "../conversation/Lane.ts"
import type { Host } from "../runtime/Host.ts"
import { Timer } from "../timer/DeadlineQueue.ts"

/** A call for whose handler a fiber runs, and the responses of its conversation. @internal */
export interface Handling {
  readonly call: LaneCall
  readonly held: HeldResponses
}

/**
 * The call for whose handler a fiber runs. A call that the fiber makes parks the handler, whoever gave it the caller.
 * @internal
 */
export const Within: Context.Reference<Handling | undefined> = Context.Reference<Handling | undefined>(
  "@parley/peer/internal/Within",
  { defaultValue: () => undefined }
)

/** The responses of one text. */
interface HeldText extends Linked<HeldText> {
  /** The notifications before it, as the dispatcher counts them. */
  readonly notifications: number
  readonly weight: number
  readonly settle: () => void
  readonly timer: Timer
}

export class HeldResponses {
  readonly #host: Host
  /** Many may leave at once, and many one by one. To find the first of a `Set` takes a look at all that have left. */
  readonly #texts = new Roster<HeldText>()
  readonly #calls = new Set<Entry>()
  /** How many of these calls take partial results. */
  #streaming = 0

  constructor(host: Host) {
    this.#host = host
  }

  /** Calls whose response is held. */
  get size(): number {
    return this.#calls.size
  }

  /** How many of them take no partial results. */
  get hurried(): number {
    return this.#calls.size - this.#streaming
  }

  has(call: Entry): boolean {
    return this.#calls.has(call)
  }

  /** Holds the responses of a text until so many notifications have passed. */
  hold(notifications: number, weight: number, calls: ReadonlyArray<Entry>, settle: () => void): void {
    const { budget, timers } = this.#host
    const text: HeldText = {
      notifications,
      weight,
      settle,
      timer: new Timer(() => this.#settle(text)),
      earlier: undefined,
      later: undefined
    }
    let due = Number.POSITIVE_INFINITY
    for (const call of calls) {
      if (this.#calls.has(call)) continue
      this.#calls.add(call)
      if (call.onPartialResult !== undefined) this.#streaming++
      if (call.bucket === undefined) continue
      due = Math.min(due, call.due)
      timers.cancel(call)
    }
    if (due !== Number.POSITIVE_INFINITY) timers.set(text.timer, Math.max(0, due - timers.now()))
    budget.take(weight)
    this.#texts.add(text)
  }

  /** Hands over what waits for no more notifications than have passed. */
  release(passed: number): void {
    for (let text = this.#texts.first; text !== undefined; text = this.#texts.first) {
      if (text.notifications > passed) return
      this.#settle(text)
    }
  }

  /** Hands over everything. */
  flush(): void {
    this.release(Number.POSITIVE_INFINITY)
  }

  /** Runs when a call has ended. */
  delete(call: Entry): void {
    if (this.#calls.delete(call) && call.onPartialResult !== undefined) this.#streaming--
  }

  #settle(text: HeldText): void {
    this.#texts.delete(text)
    this.#host.timers.cancel(text.timer)
    this.#host.budget.take(-text.weight)
    text.settle()
  }
}
