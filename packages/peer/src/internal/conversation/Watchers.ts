/**
 * Those who wait in a conversation until something holds, in the order they came.
 * Each step asks the first of them, and so does a budget that has room again.
 *
 * Thousands may wait. To ask all of them in each step would take a time that grows
 * with the square of their number, so a step asks a few in vain: the first ones,
 * and some of the others, who take turns. After the last step, a fiber goes on
 * until everybody was asked since then. So each of them hears of everything
 * (promise 22).
 */
import { type Linked, Roster } from "@parley/transport/host/Roster"
import * as Effect from "effect/Effect"
import type { Ground } from "./Ground.ts"

/** How many of the first, and how many of the others, a step asks in vain. */
const most = 8

/** What they need of their conversation. */
interface Waited {
  readonly host: Pick<Ground["host"], "budget" | "fork">
  readonly step: () => void
}

export class Watchers {
  readonly #conversation: Waited
  readonly #all = new Roster<Watcher>()
  #stopWaking: (() => void) | undefined = undefined
  /** Whose turn it is; nobody's where it is that of the first. */
  #next: Watcher | undefined = undefined
  /** How many were not asked since something happened. */
  #left = 0
  #isGoingOn = false
  /** Whether a step is made for those who are left, and nothing happened. */
  #isTurn = false

  constructor(conversation: Waited) {
    this.#conversation = conversation
  }

  get size(): number {
    return this.#all.size
  }

  /** Asks again and again, until that gives `true`. Gives how to leave, which tells whether it was still asked. */
  add(look: () => boolean): () => boolean {
    if (this.size === 0) {
      this.#stopWaking = this.#conversation.host.budget.onRoom(() => this.#conversation.step())
    }
    const watcher = new Watcher(look)
    this.#all.add(watcher)
    // The turn of some of those who are left may come after it.
    if (this.#left > 0) this.#left++
    return () => this.#delete(watcher)
  }

  look(): void {
    const isTurn = this.#isTurn
    this.#isTurn = false
    if (this.#askFirst()) {
      this.#left = 0
      return
    }
    if (!isTurn) this.#left = this.size
    this.#left -= most
    this.#askNext()
    if (this.#left > 0) this.#goOn()
  }

  /** Asks those who came first. Gives whether that were all. */
  #askFirst(): boolean {
    let vain = 0
    for (let watcher = this.#all.first; watcher !== undefined;) {
      if (vain === most) return false
      if (watcher.look()) {
        this.#delete(watcher)
        vain = 0
        watcher = this.#all.first
      } else {
        vain++
        watcher = watcher.later
      }
    }
    return true
  }

  #askNext(): void {
    for (let vain = 0; vain < most;) {
      const watcher = this.#next ?? this.#all.first
      if (watcher === undefined) return
      this.#next = watcher.later
      if (watcher.look()) this.#delete(watcher)
      else vain++
    }
  }

  #goOn(): void {
    if (this.#isGoingOn) return
    this.#isGoingOn = true
    this.#conversation.host.fork(Effect.whileLoop({
      while: () => this.#isGoingOn = this.#left > 0,
      body: () => Effect.yieldNow,
      step: () => {
        this.#isTurn = true
        this.#conversation.step()
        this.#isTurn = false
      }
    }))
  }

  #delete(watcher: Watcher): boolean {
    if (watcher.isGone) return false
    watcher.isGone = true
    if (this.#next === watcher) this.#next = watcher.later
    this.#all.delete(watcher)
    if (this.size === 0) this.#stopWaking?.()
    return true
  }
}

class Watcher implements Linked<Watcher> {
  earlier: Watcher | undefined = undefined
  later: Watcher | undefined = undefined
  isGone = false
  readonly look: () => boolean

  constructor(look: () => boolean) {
    this.look = look
  }
}
