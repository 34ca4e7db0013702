/**
 * The calls of ours that wait until they may be written to one lane.
 *
 * Requests from outside of handlers wait for the window, in their order. The rest
 * (notifications, and what a handler calls) waits for room on the lane only, and
 * goes first: the other side may need it to answer what fills the window. Texts
 * that are pushed wait until little else does: each holds up none of the others.
 */

/** The line in which a text waits: for room in the outbox, for the window too, or until little else waits. */
export type Line = "free" | "windowed" | "pushed"

const lines: ReadonlyArray<Line> = ["free", "windowed", "pushed"]

/** The calls of ours that wait to be written to one lane. */
export class ParkedCalls {
  readonly #free = new Map<object, () => void>()
  readonly #windowed = new Map<object, () => void>()
  readonly #pushed = new Map<object, () => void>()

  /** Lets a call wait for its turn. `enter` writes it, or fails it where the lane is closed. */
  add(owner: object, line: Line, enter: () => void): void {
    this.#in(line).set(owner, enter)
  }

  delete(owner: object): void {
    if (!this.#free.delete(owner) && !this.#windowed.delete(owner)) this.#pushed.delete(owner)
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

  /** The line of the first that waits. */
  get line(): Line {
    return lines.find((line) => this.#in(line).size > 0) ?? "free"
  }

  get size(): number {
    return this.#free.size + this.#windowed.size + this.#pushed.size
  }

  /** Lets those enter that have room now. */
  admit(hasRoom: (line: Line) => boolean): void {
    for (const line of lines) {
      const calls = this.#in(line)
      for (const [owner, enter] of calls) {
        if (!hasRoom(line)) break
        calls.delete(owner)
        enter()
      }
    }
  }

  #in(line: Line): Map<object, () => void> {
    return line === "free" ? this.#free : line === "windowed" ? this.#windowed : this.#pushed
  }
}
