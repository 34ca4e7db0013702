/**
 * Batches of ours that the other side has refused as a whole: by an error with id null, as a server without batches
 * does, by `[]`, or by a reply that no frame can hold.
 *
 * Such a refusal names no batch. One batch that waits is meant. Where several wait, nobody knows which one is: it is
 * certain only when there are as many refusals as batches that may be meant. A batch that has its reply is not meant.
 */
import type { CallGroup, Entry } from "../../Correlator.ts"

/** Ends a call of a refused batch. @internal */
export type Refuse = (call: Entry) => void

/** @internal */
export class RefusedBatches {
  readonly #isOpen: (batch: CallGroup) => boolean
  readonly #suspects = new Set<CallGroup>()
  #refusals: Array<Refuse> = []

  constructor(isOpen: (batch: CallGroup) => boolean) {
    this.#isOpen = isOpen
  }

  /** Takes a refusal of one of these batches. Gives `false` where there are none. */
  take(batches: Iterable<CallGroup>, refuse: Refuse): boolean {
    for (const batch of batches) if (this.#isOpen(batch)) this.#suspects.add(batch)
    this.#refusals.push(refuse)
    return this.settle()
  }

  /** Ends those that are certain. Gives `false` where no batch can be meant. */
  settle(): boolean {
    for (const batch of this.#suspects) if (!this.#isOpen(batch)) this.#suspects.delete(batch)
    const suspects = [...this.#suspects]
    if (suspects.length > this.#refusals.length) return true
    const refusals = this.#refusals
    this.#refusals = []
    this.#suspects.clear()
    suspects.forEach(({ calls }, index) => calls.forEach((call) => refusals[index]?.(call)))
    return suspects.length > 0
  }
}
