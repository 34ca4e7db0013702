/**
 * Those who wait in a conversation until something holds, in the order they came.
 *
 * Thousands may wait. To ask all of them in each step would take a time that grows with the square of their number. So a
 * step asks the first ones, until some were asked in vain; a fiber asks all of them after the last step, some in each
 * turn. So each of them hears of everything (promise 22).
 */
import { type Linked, Roster } from "@parley/transport/host/Roster"
import * as Effect from "effect/Effect"
import type { Core } from "./Core.ts"

/** How many are asked in vain in a step, or a turn. */
const most = 8

/** What they need of their conversation. */
interface Waited extends Pick<Core, "step"> {
  readonly host: Pick<Core["host"], "budget" | "fork">
}

export class Waiters {
  readonly #conversation: Waited
  readonly #all = new Roster<Waiter>()
  #stopWaking: (() => void) | undefined = undefined
  /** Whether some were not asked since something happened. */
  #isDue = false
  #isGoingOn = false

  constructor(conversation: Waited) {
    this.#conversation = conversation
  }

  get size(): number {
    return this.#all.size
  }

  /** Asks again and again, until that gives `true`. Gives how to leave, which tells whether it was still asked. */
  add(look: () => boolean): () => boolean {
    const waiter = new Waiter(look)
    if (this.size === 0) this.#stopWaking = this.#conversation.host.budget.onRoom(() => this.#conversation.step())
    this.#all.add(waiter)
    return () => this.#delete(waiter)
  }

  look(): void {
    this.#isDue = this.#ask(this.#all.first) !== undefined
    if (this.#isDue && !this.#isGoingOn) this.#goOn()
  }

  /** Asks one after the other, until some were asked in vain. Gives who comes next. */
  #ask(next: Waiter | undefined): Waiter | undefined {
    for (let vain = 0; next !== undefined && vain < most;) {
      const { later } = next
      if (next.look()) this.#delete(next)
      else vain++
      next = this.#orFirst(later)
    }
    return next
  }

  #goOn(): void {
    let next: Waiter | undefined
    this.#conversation.host.fork(Effect.whileLoop({
      while: () => this.#isGoingOn = next !== undefined || this.#isDue,
      body: () => Effect.yieldNow,
      step: () => {
        if (next === undefined) {
          this.#isDue = false
          next = this.#all.first
        }
        next = this.#ask(this.#orFirst(next))
      }
    }))
  }

  /** One that has left does not know who came after it. */
  #orFirst(waiter: Waiter | undefined): Waiter | undefined {
    return waiter?.isGone === true ? this.#all.first : waiter
  }

  #delete(waiter: Waiter): boolean {
    if (waiter.isGone) return false
    waiter.isGone = true
    this.#all.delete(waiter)
    if (this.size === 0) this.#stopWaking?.()
    return true
  }
}

class Waiter implements Linked<Waiter> {
  earlier: Waiter | undefined = undefined
  later: Waiter | undefined = undefined
  isGone = false
  readonly look: () => boolean

  constructor(look: () => boolean) {
    this.look = look
  }
}
