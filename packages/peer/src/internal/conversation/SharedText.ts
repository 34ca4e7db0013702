/**
 * A text that goes to many connections in one turn. It costs each of them little more than the write: its bytes are made
 * once for all that frame alike. The first that is made in a turn is written at once, others by one microtask at its end.
 */
import type { Framing } from "@parley/protocol/Framing"

/** Writes what has gathered. It does not throw. */
interface Writer {
  readonly flush: () => void
}

/** Counts the turns in which texts are made. */
let turn = 0

/** Whether one was made in this turn. */
let isMade = false

const endTurn = (): void => {
  isMade = false
  turn++
}

/** @internal */
export class SharedText {
  /** The text alone, as one write. */
  readonly texts: readonly [string]
  /** The turn of which it is the first text. */
  #turn: number | undefined = undefined
  #framing: Framing | undefined = undefined
  #bytes: Uint8Array = new Uint8Array(0)
  #writers: Array<Writer> = []

  constructor(text: string) {
    this.texts = [text]
    if (isMade) return
    isMade = true
    this.#turn = turn
    queueMicrotask(endTurn)
  }

  /**
   * Whether it is the first text of this turn. Those that follow gather, and so do those that have waited for room: one
   * write for all costs less.
   */
  get isFirst(): boolean {
    return this.#turn === turn
  }

  get length(): number {
    return this.texts[0].length
  }

  /** Its bytes. Most often all who ask frame alike. */
  bytesBy(framing: Framing): Uint8Array {
    if (framing !== this.#framing) {
      this.#bytes = framing.join(this.texts)
      this.#framing = framing
    }
    return this.#bytes
  }

  /** Lets one write at the end of the turn. */
  schedule(writer: Writer): void {
    if (this.#writers.push(writer) === 1) queueMicrotask(this.#flush)
  }

  readonly #flush = (): void => {
    const writers = this.#writers
    this.#writers = []
    for (const writer of writers) writer.flush()
  }
}
