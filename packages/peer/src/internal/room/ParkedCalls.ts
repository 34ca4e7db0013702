/**
 * The calls of ours that wait until they may be written to one lane.
 *
 * Requests from outside of handlers wait for the window, in their order. The rest
 * (notifications, and what a handler calls) waits for room on the lane only, and
 * goes first: the other side may need it to answer what fills the window.
 */

/** The calls of ours that wait to be written to one lane. */
export class ParkedCalls {
  readonly #windowed = new Map<object, () => void>()
  readonly #free = new Map<object, () => void>()

  /** Lets a call wait for its turn. `enter` writes it, or fails it where the lane is closed. */
  add(owner: object, isWindowed: boolean, enter: () => void): void {
    ;(isWindowed ? this.#windowed : this.#free).set(owner, enter)
  }

  delete(owner: object): void {
    if (!this.#free.delete(owner)) this.#windowed.delete(owner)
  }

  /** Lets a text whose requests have ended wait for room on the lane only. */
  free(owner: object): void {
    const enter = this.#windowed.get(owner)
    if (enter === undefined) return
    this.#windowed.delete(owner)
    this.#free.set(owner, enter)
  }

  /** Whether a call has to wait behind others. */
  isAhead(isWindowed: boolean): boolean {
    return this.#free.size > 0 || (isWindowed && this.#windowed.size > 0)
  }

  /** Whether the first that waits waits for the window. */
  get isWindowed(): boolean {
    return this.#free.size === 0
  }

  get size(): number {
    return this.#free.size + this.#windowed.size
  }

  /** Lets those enter that have room now. */
  admit(hasRoom: (isWindowed: boolean) => boolean): void {
    for (const calls of [this.#free, this.#windowed]) {
      for (const [owner, enter] of calls) {
        if (!hasRoom(calls === this.#windowed)) return
        calls.delete(owner)
        enter()
      }
    }
  }
}
