/**
 * One frame in the making, bounded.
 *
 * Of a frame beyond its limit only the first bytes are kept, for the excerpt. The
 * rest is counted, and read for what its envelope says.
 */
import { Bytes } from "../../shared/text/Bytes.ts"
import * as bad from "../bad.ts"
import { excerpt, excerptBytes } from "../utf8.ts"
import { Envelope } from "./envelope.ts"
import type { BadFrame } from "./frame.ts"

export class Held {
  /** Bytes of the frame so far. */
  size = 0

  private readonly limit: number
  /** Of a refused frame its first bytes. */
  private readonly bytes = new Bytes()
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
    if (this.envelope === undefined) return this.bytes.add(chunk, start, end)
    this.envelope.push(chunk, start, end)
    this.bytes.add(chunk, start, Math.min(end, start + excerptBytes - this.bytes.size))
  }

  /** Refuses the frame, whose bytes then need not be kept. It ends as `InvalidUtf8` where it is not too large. */
  refuse(): void {
    if (this.envelope !== undefined) return
    this.envelope = new Envelope()
    for (const piece of this.bytes.pieces()) this.envelope.push(piece, 0, piece.length)
    const first = this.bytes.join(Math.min(this.bytes.size, excerptBytes)).slice()
    this.bytes.clear()
    this.bytes.add(first)
  }

  /** Ends the frame and makes room for the next. Of a `line` the CR before its LF is left out. */
  take(line: boolean): string | BadFrame {
    const end = this.size - (line && this.last === 13 ? 1 : 0)
    const frame = end > this.limit ? this.bad("TooLarge") : this.text(end)
    this.size = 0
    this.bytes.clear()
    this.last = 0
    this.envelope = undefined
    return frame
  }

  /** The first bytes of the frame in printable form. The frame is refused. */
  excerpt(): string {
    this.refuse()
    return excerpt(this.bytes.join())
  }

  private text(end: number): string | BadFrame {
    return (this.envelope === undefined ? this.bytes.text(end) : undefined) ?? this.bad("InvalidUtf8")
  }

  private bad(reason: BadFrame["reason"]): BadFrame {
    const excerpt = this.excerpt()
    return bad.make(reason, excerpt, this.envelope?.final() ?? {})
  }
}
