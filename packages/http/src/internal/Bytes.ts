/**
 * The bytes of a body, as they come.
 */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** @internal */
export class Bytes {
  size = 0
  readonly #chunks: Array<Uint8Array> = []

  add(chunk: Uint8Array) {
    this.#chunks.push(chunk)
    this.size += chunk.length
  }

  /** All of them in one piece. */
  join(): Uint8Array {
    const [first, second] = this.#chunks
    if (first !== undefined && second === undefined) return first
    const bytes = new Uint8Array(this.size)
    let at = 0
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return bytes
  }

  /** Their text, or `undefined` where they are no UTF-8. A byte order mark stays: no text begins with one. */
  text(): string | undefined {
    try {
      return utf8.decode(this.join())
    } catch {
      return undefined
    }
  }
}
