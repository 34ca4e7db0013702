/**
 * The changes that a server itself may make at each start, such as writing its state, perhaps to a new file each
 * time.
 * Each starts it again, without end; but a person or a tool may save as often, so people are told, and decide.
 */

/** Milliseconds after the change before in which one may be by the server. */
const early = 2_000

/** Such changes in a row. */
const enough = 3

export class OwnFiles {
  #time = Number.NEGATIVE_INFINITY
  #count = 0

  /** Whether a change shows for the first time in a row that the server may write the file. */
  mayWrite(now: number): boolean {
    this.#count = now - this.#time < early ? this.#count + 1 : 0
    this.#time = now
    return this.#count === enough
  }
}
