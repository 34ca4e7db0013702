/**
 * Bytes that come in pieces and are wanted as a whole: those of a frame, of a body, or of an event.
 *
 * Large pieces are kept as they are. Small ones are copied together, and so are
 * those that would keep a much larger buffer alive: bytes that come one by one take
 * about as much memory as those that come at once, and there is one copy at the end.
 *
 * ```ts run
 * import { Bytes } from "@parley/protocol/shared"
 *
 * const bytes = new Bytes.Bytes()
 * for (const piece of ["{\"id\":", "1}"]) bytes.add(new TextEncoder().encode(piece))
 *
 * console.log(bytes.size) // => 8
 * console.log(bytes.text()) // => {"id":1}
 * ```
 *
 * @since 0.1.0
 */
import { decode } from "../../internal/utf8.ts"

/** A piece from here on is a part of its own. */
const large = 4096

/** Bytes of small pieces that make a part. A block of this size is kept for what follows `clear`. */
const blockBytes = 8192

const nothing = new Uint8Array(0)

/**
 * The bytes so far.
 *
 * @category models
 * @since 0.1.0
 */
export class Bytes {
  /** The number of bytes. */
  size = 0
  private readonly whole: number | undefined
  private parts: Array<Uint8Array> = []
  /** The last part, which still grows, and how much of it is in use. */
  private block: Uint8Array = nothing
  private used = 0

  /** A first piece of `whole` bytes is never copied: nothing waits for more. */
  constructor(whole?: number) {
    this.whole = whole
  }

  /** Takes the bytes of a piece from `start` to `end`, all by default. The caller must not write to them again. */
  add(piece: Uint8Array, start = 0, end = piece.length): void {
    const count = end - start
    if (count <= 0) return
    const isWhole = this.size === 0 && count === this.whole
    this.size += count
    if (isWhole) return void this.parts.push(piece.subarray(start, end))
    if (count < large) return this.append(piece, start, end)
    this.closeBlock()
    this.parts.push(2 * count < piece.buffer.byteLength ? piece.slice(start, end) : piece.subarray(start, end))
  }

  /** The first `count` of them in one piece, all by default. Valid until the next change. */
  join(count = this.size): Uint8Array {
    const [first] = this.parts
    if (first === undefined) return this.block.subarray(0, count)
    if (first.length === count) return first
    const joined = new Uint8Array(count)
    let at = 0
    for (const part of this.pieces()) {
      const taken = part.subarray(0, count - at)
      joined.set(taken, at)
      at += taken.length
    }
    return joined
  }

  /** The text of the first `count`, or `undefined` where they are not UTF-8. A byte order mark stays. */
  text(count?: number): string | undefined {
    return decode(this.join(count))
  }

  /** All of them, in the pieces that are kept. */
  pieces(): ReadonlyArray<Uint8Array> {
    return [...this.parts, this.block.subarray(0, this.used)]
  }

  /** Forgets all bytes. */
  clear(): void {
    this.size = 0
    this.used = 0
    if (this.parts.length > 0) this.parts = []
  }

  private append(piece: Uint8Array, start: number, end: number): void {
    if (this.used + end - start > blockBytes) this.closeBlock()
    const used = this.used + end - start
    if (used > this.block.length) this.grow(used)
    if (end - start === 1) this.block[this.used] = piece[start]!
    else this.block.set(piece.subarray(start, end), this.used)
    this.used = used
  }

  private grow(size: number): void {
    const block = new Uint8Array(Math.min(blockBytes, Math.max(256, 2 * size)))
    block.set(this.block.subarray(0, this.used))
    this.block = block
  }

  private closeBlock(): void {
    if (this.used === 0) return
    // A part of its own size: many half-empty blocks must not hold twice the bytes.
    this.parts.push(this.block.slice(0, this.used))
    this.used = 0
  }
}
