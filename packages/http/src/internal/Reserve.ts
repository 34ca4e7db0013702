/**
 * The memory of one answer while it is read.
 *
 * Answers that are read at the same time share a budget. Of those that can wait, a
 * small one needs no room. One that grows takes as much as it may ever hold before
 * more of it is read, so that it can always be read to its end: two that wait for
 * each other's room would wait for ever. One that cannot wait takes what it holds,
 * and a spent budget ends the heaviest.
 */
import { Budget } from "@parley/transport/shared"
import type * as Effect from "effect/Effect"

/** Bytes that every answer that can wait may hold without room. */
const unreserved = 65_536

/** The room of an answer in a budget. */
export interface Room {
  /** Waits until more may be read of an answer that holds so many bytes. `undefined` where it may be read at once. */
  readonly wait: (bytes: number) => Effect.Effect<void> | undefined
  /** Gives back what it took. */
  readonly leave: () => void
}

/** The budget or the share in which an answer finds its room. */
export interface Place {
  /** The budget of answers that can wait. */
  readonly budget?: Budget.Budget | undefined
  /** The share of an answer that cannot. */
  readonly share?: Budget.Share | undefined
}

/** The room of an answer that holds at most so many bytes, and whose head has announced so many; `NaN` where it has not. */
export const roomOf = ({ budget, share }: Place, limit: number, announced: number): Room | undefined => {
  if (share !== undefined) return new Growth(share)
  return budget === undefined ? undefined : new Reserve(budget, limit, announced)
}

/** Takes what an answer holds, and waits for nothing. */
export class Growth implements Room {
  readonly #share: Budget.Share
  held = 0

  constructor(share: Budget.Share) {
    this.#share = share
  }

  hold(weight: number): void {
    const more = weight - this.held
    this.held = weight
    Budget.grow(this.#share, more)
  }

  wait(bytes: number): undefined {
    this.hold(bytes)
  }

  leave(): void {
    this.hold(0)
  }
}

class Reserve implements Room {
  readonly #budget: Budget.Budget
  readonly #limit: number
  readonly #announced: number
  /** A share of its own, so that it hears of room alone, and not with all that wait. */
  #share: Budget.Share | undefined = undefined

  constructor(budget: Budget.Budget, limit: number, announced: number) {
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
    return Budget.until(() => this.#take(share, weight), (again) => share.onRoom(again))
  }

  leave(): void {
    this.#share?.close()
    this.#share = undefined
  }

  #take(share: Budget.Share, weight: number): boolean {
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
