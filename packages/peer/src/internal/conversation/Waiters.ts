/**
 * Those who wait in a conversation until something holds, in the order they came.
 *
 * Thousands may wait. To ask all of them in each step would take a time that grows with the square of their number. So a
 * step asks the first ones, until some were asked in vain; a fiber asks all of them after the last step, some in each
 * turn, which is a step, too. So each of them hears of everything (promise 22).
 */
import * as Effect from "effect/Effect"
import type { Core } from "./Core.ts"

/** How many are asked in vain in a step, or a turn. */
const most = 8

/** Returns whether it waits no more. */
type Look = () => boolean

/** The part of a conversation that its waiters need. */
interface Waited extends Pick<Core, "step"> {
  readonly host: Pick<Core["host"], "budget" | "fork">
}

export class Waiters {
  readonly #conversation: Waited
  readonly #all = new Set<Look>()
  #stopWaking: (() => void) | undefined = undefined
  /** Whether some were not asked since something happened. */
  #isDue = false
  #isGoingOn = false
  /** Those whose turn it is, while there are some. */
  #rest: Iterator<Look, undefined> | undefined = undefined
  /** Whether a step is made for a turn, and nothing has happened. */
  #isTurn = false

  constructor(conversation: Waited) {
    this.#conversation = conversation
  }

  get size(): number {
    return this.#all.size
  }

  /** Calls `look` again and again, until it returns `true`. Returns a function that stops this, and tells whether it did. */
  add(look: Look): () => boolean {
    if (this.size === 0) this.#stopWaking = this.#conversation.host.budget.onRoom(() => this.#conversation.step())
    this.#all.add(look)
    return () => this.#delete(look)
  }

  look(): void {
    if (this.#isTurn) return this.#takeTurn()
    this.#isDue = !this.#ask(this.#all.values())
    if (this.#isDue && !this.#isGoingOn) this.#goOn()
  }

  #takeTurn(): void {
    this.#isTurn = false
    if (this.#rest === undefined) this.#isDue = false
    this.#rest ??= this.#all.values()
    if (this.#ask(this.#rest)) this.#rest = undefined
  }

  /** Asks one after the other, until some were asked in vain. Returns whether no others are left. */
  #ask(line: Iterator<Look, undefined>): boolean {
    for (let vain = 0; vain < most;) {
      const look = line.next().value
      if (look === undefined) return true
      if (look()) this.#delete(look)
      else vain++
    }
    return false
  }

  #goOn(): void {
    this.#conversation.host.fork(Effect.whileLoop({
      while: () => this.#isGoingOn = this.#rest !== undefined || this.#isDue,
      body: () => Effect.yieldNow,
      // Whoever waits no more takes a text, which steps: outside of a step it would be asked again meanwhile.
      step: () => {
        this.#isTurn = true
        this.#conversation.step()
        this.#isTurn = false
      }
    }))
  }

  #delete(look: Look): boolean {
    if (!this.#all.delete(look)) return false
    if (this.size === 0) this.#stopWaking?.()
    return true
  }
}
