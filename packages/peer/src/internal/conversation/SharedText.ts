/**
 * A text that goes to many connections in one turn. It costs each of them little more than the write: its bytes are made
 * once for all that frame alike. The first text of a turn is written at once, those that follow by one microtask at its end.
 */
import type { Direct } from "@parley/transport/shared"

/** Writes what has gathered. It does not throw. */
interface Writer {
  readonly flush: () => void
}

/** Whether a text was made in this turn. */
let isMade = false

const endTurn = (): void => {
  isMade = false
}

/** @internal */
export class SharedText {
  /** The text alone, as one write. */
  readonly texts: readonly [string]
  /** Whether it is the first text of its turn: those that follow gather, because one write for all costs less. */
  readonly isFirst: boolean
  #join: Direct.Joined["join"] | undefined = undefined
  #bytes: Uint8Array = new Uint8Array(0)
  #writers: Array<Writer> = []

  constructor(text: string) {
    this.texts = [text]
    this.isFirst = !isMade
    if (isMade) return
    isMade = true
    queueMicrotask(endTurn)
  }

  get length(): number {
    return this.texts[0].length
  }

  /** Its bytes. Most often all who ask join alike. */
  bytesBy(join: Direct.Joined["join"]): Uint8Array {
    if (join !== this.#join) {
      this.#bytes = join(this.texts)
      this.#join = join
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
