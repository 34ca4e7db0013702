/**
 * The memory of one answer while it is read.
 *
 * Answers that are read at the same time share a budget. A small one needs no room.
 * One that grows takes as much as it may ever hold before more of it is read, so
 * that it can always be read to its end: two that wait for each other's room would
 * wait for ever.
 */
import type { Budget, Share } from "@parley/transport/host/Budget"
import * as Effect from "effect/Effect"

/** Bytes that every answer may hold. */
const small = 65_536

export class Reserve {
  readonly #budget: Budget
  readonly #limit: number
  readonly #announced: number
  /** A share of its own, so that it hears of room alone, and not with all that wait. */
  #share: Share | undefined = undefined

  /** Of an answer that holds at most so many bytes, and whose head has announced so many; `NaN` where it has not. */
  constructor(budget: Budget, limit: number, announced = NaN) {
    this.#budget = budget
    this.#limit = limit
    this.#announced = announced
  }

  /** Waits until more may be read of an answer that holds so many bytes. `undefined` where it may be read at once. */
  wait(bytes: number): Effect.Effect<void> | undefined {
    if (bytes <= small) this.#giveBack()
    // A body that was compressed is longer than announced.
    const most = bytes < this.#announced ? Math.min(this.#announced, this.#limit) : this.#limit
    if (bytes <= small || bytes === this.#announced) return undefined
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

  /** Gives back what it took. */
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
