/**
 * The bytes of a body, as they come.
 *
 * Large chunks are kept as they are. Small ones are copied together, and so are
 * those that would keep a much larger buffer alive: a body that comes in single
 * bytes takes about as much memory as one that comes at once. A body that comes in
 * one piece is not copied: nothing waits for more of it.
 */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** A chunk from here on is a part of its own. */
const large = 4096

/** Bytes of small chunks that make a part. */
const blockBytes = 8192

const nothing = new Uint8Array(0)

export class Bytes {
  size = 0
  /** Bytes of the whole body, as its head says; `NaN` if it does not. */
  readonly #announced: number
  readonly #parts: Array<Uint8Array> = []
  /** The last part, which still grows, and how much of it is in use. */
  #block: Uint8Array<ArrayBuffer> = nothing
  #used = 0

  constructor(contentLength: string | undefined) {
    this.#announced = Number(contentLength)
  }

  add(chunk: Uint8Array) {
    const isWhole = this.size === 0 && chunk.length === this.#announced
    this.size += chunk.length
    if (isWhole) return void this.#parts.push(chunk)
    if (chunk.length >= large) {
      this.#closeBlock()
      this.#parts.push(2 * chunk.length < chunk.buffer.byteLength ? chunk.slice() : chunk)
      return
    }
    if (this.#used + chunk.length > blockBytes) this.#closeBlock()
    const used = this.#used + chunk.length
    if (used > this.#block.length) this.#grow(used)
    this.#block.set(chunk, this.#used)
    this.#used = used
  }

  /** All of them in one piece. */
  join(): Uint8Array {
    if (this.#parts.length === 0) return this.#block.subarray(0, this.#used)
    this.#closeBlock()
    const [first, second] = this.#parts
    if (first !== undefined && second === undefined) return first
    const bytes = new Uint8Array(this.size)
    let at = 0
    for (const part of this.#parts) {
      bytes.set(part, at)
      at += part.length
    }
    return bytes
  }

  /** Their text, or `undefined` where they are not UTF-8. A byte order mark stays: no JSON text begins with one. */
  text(): string | undefined {
    try {
      return utf8.decode(this.join())
    } catch {
      return undefined
    }
  }

  #grow(size: number) {
    const block = new Uint8Array(Math.min(blockBytes, Math.max(256, 2 * size)))
    block.set(this.#block.subarray(0, this.#used))
    this.#block = block
  }

  #closeBlock() {
    if (this.#used === 0) return
    this.#parts.push(this.#block.slice(0, this.#used))
    this.#used = 0
  }
}
