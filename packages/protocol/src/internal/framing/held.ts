/**
 * One frame in the making, bounded.
 *
 * Large parts are kept as they are, small ones are copied into blocks. So there is one copy and one decoding at the
 * end, and a peer that sends single bytes costs about twice its bytes of memory. Of a frame beyond its
 * limit only the first bytes are kept, for the excerpt. The rest is counted, and read for what its envelope says.
 */
import { decode, excerpt, excerptBytes } from "../utf8.ts"
import { Envelope } from "./envelope.ts"
import type { BadFrame } from "./frame.ts"

/** From this size on, a part is kept, unless its buffer is more than twice as large. */
const large = 4096

/** One block is kept for the next frame, so this is what an idle connection may hold. */
const blockBytes = 8192

export class Held {
  /** Bytes of the frame so far. */
  size = 0

  private readonly limit: number
  private readonly parts: Array<Uint8Array> = []
  /** The last part, which still grows; of a refused frame its first bytes. */
  private block: Uint8Array = new Uint8Array(0)
  private used = 0
  private last = 0
  /** Of a refused frame. */
  private envelope: Envelope | undefined = undefined

  constructor(limit: number) {
    this.limit = limit
  }

  /** Takes the bytes from `start` to `end`. */
  add(chunk: Uint8Array, start: number, end: number): void {
    const count = end - start
    if (count <= 0) return
    this.size += count
    this.last = chunk[end - 1]!
    // One byte beyond the limit may turn out to be the CR of a line's end.
    if (this.size > this.limit + 1) this.refuse()
    if (this.envelope !== undefined) {
      this.envelope.push(chunk, start, end)
      this.append(chunk, start, Math.min(end, start + excerptBytes - this.used))
    } else if (count < large) this.append(chunk, start, end)
    else {
      this.closeBlock()
      this.parts.push(2 * count < chunk.buffer.byteLength ? chunk.slice(start, end) : chunk.subarray(start, end))
    }
  }

  /** Refuses the frame, whose bytes then need not be kept. It ends as `InvalidUtf8` where it is not too large. */
  refuse(): void {
    if (this.envelope !== undefined) return
    this.envelope = new Envelope()
    for (const part of this.all()) this.envelope.push(part, 0, part.length)
    const head = new Uint8Array(excerptBytes)
    this.used = this.copyTo(head)
    this.block = head
    this.parts.length = 0
  }

  /** Ends the frame and makes room for the next. Of a `line` the CR before its LF is left out. */
  take(line: boolean): string | BadFrame {
    const end = this.size - (line && this.last === 13 ? 1 : 0)
    const frame = end > this.limit ? this.bad("TooLarge") : this.text(end)
    this.size = 0
    this.parts.length = 0
    this.used = 0
    this.last = 0
    this.envelope = undefined
    return frame
  }

  /** The first bytes of the frame in printable form. The frame is refused. */
  excerpt(): string {
    this.refuse()
    return excerpt(this.block.subarray(0, this.used))
  }

  private text(end: number): string | BadFrame {
    return (this.envelope !== undefined ? undefined : decode(this.bytes(end))) ?? this.bad("InvalidUtf8")
  }

  private bad(reason: BadFrame["reason"]): BadFrame {
    return { _tag: "BadFrame", reason, excerpt: this.excerpt(), ...this.envelope?.outcome() }
  }

  private bytes(count: number): Uint8Array {
    if (this.parts.length === 0) return this.block.subarray(0, count)
    const all = new Uint8Array(count)
    this.copyTo(all)
    return all
  }

  private all(): ReadonlyArray<Uint8Array> {
    return [...this.parts, this.block.subarray(0, this.used)]
  }

  /** Copies as much as there is room for, and returns how much that is. */
  private copyTo(target: Uint8Array): number {
    let at = 0
    for (const part of this.all()) {
      const count = Math.min(part.length, target.length - at)
      target.set(part.subarray(0, count), at)
      at += count
    }
    return at
  }

  private append(chunk: Uint8Array, start: number, end: number): void {
    if (end <= start) return
    if (this.used + end - start > blockBytes) this.closeBlock()
    const used = this.used + end - start
    if (used > this.block.length) this.grow(used)
    if (end - start === 1) this.block[this.used] = chunk[start]!
    else this.block.set(chunk.subarray(start, end), this.used)
    this.used = used
  }

  private grow(size: number): void {
    const block = new Uint8Array(Math.min(blockBytes, Math.max(256, 2 * size)))
    block.set(this.block.subarray(0, this.used))
    this.block = block
  }

  private closeBlock(): void {
    if (this.used === 0) return
    // A part of its own size: a frame of many half-empty blocks must not hold twice its limit.
    this.parts.push(this.block.slice(0, this.used))
    this.used = 0
  }
}
