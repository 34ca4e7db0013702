/**
 * The header block of the LSP base protocol (3.17): field lines, a blank line.
 *
 * Names are case-insensitive and unknown fields are ignored. Lines end with CRLF;
 * LF alone is taken too. Blank lines before the first
 * field are skipped, because some servers end a body with a newline. A block from which the length of the body is not
 * certain is a lost place, because a guess would read requests from inside a text.
 */
import { isUtf8 } from "../../shared/text/Charset.ts"
import { excerpt } from "../utf8.ts"
import type { LostPlace } from "./frame.ts"

export interface Header {
  readonly _tag: "Header"
  /** Bytes of the body. */
  readonly length: number
  /** Whether the body is UTF-8, which is the default. */
  readonly utf8: boolean
}

export class HeaderBlock {
  /** What the block says, once it has ended. */
  outcome: Header | LostPlace | undefined = undefined

  private readonly limit: number
  private readonly offset: number
  private bytes: Array<number> = []
  /** Bytes of blank lines before the first field. They count on the limit. */
  private skipped = 0
  /** Whether anything but blanks was read. */
  private isBegun = false
  private line = 0
  private length: number | undefined = undefined
  private utf8 = true

  /** `offset` is where the block begins in the stream. */
  constructor(limit: number, offset: number) {
    this.limit = limit
    this.offset = offset
  }

  /** Reads on and returns where it stopped: at the end of the chunk or of the block. */
  push(chunk: Uint8Array, start: number): number {
    let at = start
    while (at < chunk.length && this.outcome === undefined) {
      const byte = chunk[at++]!
      this.bytes.push(byte)
      const isFirst = !this.isBegun && !blanks.has(byte)
      if (isFirst) this.isBegun = true
      // No name of a field begins so, and the end of a line may never come.
      if (isFirst && (byte === 0x7b || byte === 0x5b)) this.lose(this.bytes.length - 1, noHeader)
      else if (this.skipped + this.bytes.length > this.limit) {
        this.lose(0, `a header block is larger than ${this.limit} bytes`)
      } else if (byte === 10) this.endLine()
    }
    return at
  }

  /** The loss of the place at this byte of the block. */
  lost(reason: LostPlace["reason"], from: number, detail: string): LostPlace {
    const there = excerpt(Uint8Array.from(this.bytes.slice(from, from + 64)))
    return { _tag: "LostPlace", reason, detail, offset: this.offset + this.skipped + from, excerpt: there }
  }

  /** Whether nothing but blanks was read, so that no block has begun. */
  get isBlank(): boolean {
    return !this.isBegun
  }

  /** Whether JSON begins where the block should. */
  get isJson(): boolean {
    return this.outcome?._tag === "LostPlace" && this.outcome.detail === noHeader
  }

  private lose(from: number, detail: string): void {
    this.outcome = this.lost("Header", from, detail)
  }

  private endLine(): void {
    if (!this.isBegun) {
      this.skipped += this.bytes.length
      this.bytes = []
      return
    }
    const line = withoutEnd(this.bytes, this.line)
    if (line === "") this.endBlock()
    else this.field(line)
    this.line = this.bytes.length
  }

  private endBlock(): void {
    if (this.length === undefined) this.lose(0, "a header block has no Content-Length")
    else this.outcome = { _tag: "Header", length: this.length, utf8: this.utf8 }
  }

  private field(line: string): void {
    const colon = line.indexOf(":")
    const name = line.slice(0, Math.max(0, colon)).toLowerCase()
    if (!token.test(name)) return this.lose(this.line, "a line of a header block is not a field")
    const value = trim(line.slice(colon + 1))
    if (name === "content-length") this.contentLength(value)
    else if (name === "content-type") this.utf8 &&= isUtf8(value)
  }

  private contentLength(value: string): void {
    const length = /^[0-9]+$/.test(value) ? Number(value) : NaN
    if (!Number.isSafeInteger(length)) this.lose(this.line, "a Content-Length is not a decimal number below 2^53")
    else if (this.length !== undefined && this.length !== length) this.lose(this.line, "two Content-Lengths differ")
    else this.length = length
  }
}

const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a])

const noHeader = "JSON stands where a Content-Length header should"

/** A field name of RFC 9110. It has no white space before the colon. */
const token = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/

const withoutEnd = (bytes: ReadonlyArray<number>, start: number): string => {
  const line = bytes.slice(start, -1)
  if (line.at(-1) === 13) line.pop()
  return line.map((byte) => String.fromCharCode(byte)).join("")
}

/** Not `String.trim`, which takes off more than the blanks and tabs that a header may have. */
const trim = (value: string): string => {
  let start = 0
  let end = value.length
  while (start < end && isBlank(value, start)) start++
  while (end > start && isBlank(value, end - 1)) end--
  return value.slice(start, end)
}

const isBlank = (value: string, index: number): boolean => value[index] === " " || value[index] === "\t"
