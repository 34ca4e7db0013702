/**
 * The memory of one answer while it is read.
 *
 * Answers that are read at the same time share a budget. Of those that can wait, a
 * small one needs no room. One that grows takes as much as it may ever hold before
 * more of it is read, so that it can always be read to its end: two that wait for
 * each other's room would wait for ever. One that cannot wait takes what it holds,
 * and a spent budget ends the heaviest.
 */
import type { Budget, Share } from "@parley/transport/host/Budget"
import * as Effect from "effect/Effect"

/** Bytes that every answer that can wait may hold without room. */
const unreserved = 65_536

/** What an answer takes of a budget. */
export interface Room {
  /** Waits until more may be read of an answer that holds so many bytes. `undefined` where it may be read at once. */
  readonly wait: (bytes: number) => Effect.Effect<void> | undefined
  /** Gives back what it took. */
  readonly leave: () => void
}

/** Where an answer may find its room. */
export interface Place {
  /** The budget of answers that can wait. */
  readonly budget?: Budget | undefined
  /** The share of an answer that cannot. */
  readonly share?: Share | undefined
}

/** The room of an answer that holds at most so many bytes, and whose head has announced so many; `NaN` where it has not. */
export const roomOf = ({ budget, share }: Place, limit: number, announced: number): Room | undefined => {
  if (share !== undefined) return new Growth(share)
  return budget === undefined ? undefined : new Reserve(budget, limit, announced)
}

/** Takes weight. Where that spends the budget, the heaviest gives way, which may be the one that takes. */
export const grow = (share: Share, weight: number): void => {
  share.take(weight)
  if (weight > 0 && share.isSpent()) share.evict()
}

class Growth implements Room {
  readonly #share: Share
  #taken = 0

  constructor(share: Share) {
    this.#share = share
  }

  wait(bytes: number): undefined {
    this.#hold(bytes)
  }

  leave(): void {
    this.#hold(0)
  }

  #hold(weight: number): void {
    const more = weight - this.#taken
    this.#taken = weight
    if (more !== 0) grow(this.#share, more)
  }
}

class Reserve implements Room {
  readonly #budget: Budget
  readonly #limit: number
  readonly #announced: number
  /** A share of its own, so that it hears of room alone, and not with all that wait. */
  #share: Share | undefined = undefined

  constructor(budget: Budget, limit: number, announced: number) {
    this.#budget = budget
    this.#limit = limit
    this.#announced = announced
  }

  wait(bytes: number): Effect.Effect<void> | undefined {
    if (bytes <= unreserved) this.#giveBack()
    // A body that was compressed is longer than announced.
    const most = bytes < this.#announced ? Math.min(this.#announced, this.#limit) : this.#limit
    if (bytes <= unreserved || bytes === this.#announced) return undefined
    const share = this.#share ??= this.#budget.share()
    // One larger than the budget would never fit.
    const weight = Math.min(most, share.limit / 2)
    if (this.#take(share, weight)) return undefined
    return Effect.callback((resume) => {
      const goOn = () => {
        if (!this.#take(share, weight)) return
        stop()
        resume(Effect.void)
      }
      const stop = share.onRoom(goOn)
      goOn()
      return Effect.sync(stop)
    })
  }

  leave(): void {
    this.#share?.close()
    this.#share = undefined
  }

  #take(share: Share, weight: number): boolean {
    if (share.taken() >= weight) return true
    this.#giveBack()
    if (!share.fits(weight)) return false
    share.take(weight)
    return true
  }

  #giveBack(): void {
    this.#share?.take(-this.#share.taken())
  }
}
