/**
 * JSON values one after the other, with white space between them or without.
 *
 * The splitter follows only what tells where a value ends: the number of brackets, strings with their escapes, the
 * letters of a literal. It accepts `[}`, so it needs no stack, and a bomb of brackets costs only its bytes.
 */
import type { Limits } from "../../Limits.ts"
import { ascii, encode } from "../utf8.ts"
import type { Frame, LostPlace, Splitter } from "./frame.ts"
import { Held } from "./held.ts"
import { withNewlines } from "./line.ts"
import { headerFirst, type Lose, opening, otherFraming } from "./opening.ts"
import { skipQuoted } from "./quoted.ts"
import { Run } from "./run.ts"

export const splitter = (limits: Pick<Limits, "frame">): Splitter =>
  opening((offset, lose) => body(limits.frame, offset, lose))

const body = (limit: number, start: number, lose: Lose): Splitter => {
  const held = new Held(limit)
  const run = new Run()
  const value = new Value()
  /** Bytes of the stream before the chunk, and before the value. */
  let offset = start
  let valueStart = start

  const finish = (chunk: Uint8Array, from: number, end: number, frames: Array<Frame>): void => {
    if (held.size === 0 && end - from <= limit) return run.add(from, end)
    run.flush(chunk, frames)
    held.add(chunk, from, end)
    frames.push(held.take(false))
  }

  const lost = (reason: LostPlace["reason"], detail: string): LostPlace => ({
    _tag: "LostPlace",
    reason,
    detail,
    offset: valueStart,
    excerpt: held.excerpt()
  })

  return {
    push: (chunk) => {
      const frames: Array<Frame> = []
      /** Where the bytes of the value begin that are not taken yet. */
      let from = 0
      for (let at = 0; at < chunk.length;) {
        if (value.state === "none") {
          from = at
          valueStart = offset + at
        }
        at = value.read(chunk, at)
        if (value.state === "ended") finish(chunk, from, at, frames)
        else if (value.state === "wrong") {
          run.flush(chunk, frames)
          held.add(chunk, from, at)
          if (valueStart === start && mayBeginHeader(chunk[at - 1])) {
            return lose([otherFraming(`${headerFirst} \`concatenated\``, held.excerpt())])
          }
          frames.push(lost("Syntax", "no JSON value begins like this"))
          return lose(frames)
        }
        if (value.state !== "reading") from = at
        if (value.state === "ended") value.state = "none"
      }
      run.flush(chunk, frames)
      if (value.state === "reading") held.add(chunk, from, chunk.length)
      offset += chunk.length
      return frames
    },
    end: () => {
      if (value.state !== "reading") return []
      return [value.mayEnd() ? held.take(false) : lost("Truncated", "the input ended inside a JSON value")]
    },
    partial: () => value.state === "reading"
  }
}

/** Follows one value at a time to its end. */
class Value {
  /** `none`: only white space since the last value. `wrong`: the last byte read cannot stand where it stands. */
  state: "none" | "reading" | "ended" | "wrong" = "none"

  private kind: "nested" | "number" | "literal" = "nested"
  private depth = 0
  private quoted = false
  private escaped = false
  private letters: ReadonlyArray<number> = []
  private matched = 0

  /** Reads on to the end of the value or of the chunk, and returns where it stopped. */
  read(chunk: Uint8Array, start: number): number {
    if (this.state === "reading") return this.proceed(chunk, start)
    const byte = chunk[start]!
    if (isSpace(byte)) return start + 1
    this.state = this.begin(byte)
    return this.state === "reading" ? this.proceed(chunk, start + 1) : start + 1
  }

  /** Whether the end of the input ends the value: nothing else ends a number. */
  mayEnd(): boolean {
    return this.kind === "number"
  }

  private begin(byte: number): "reading" | "wrong" {
    const kind = kinds[byte]!
    this.kind = "nested"
    this.depth = kind === open ? 1 : 0
    this.quoted = kind === quote
    if (kind === open || kind === quote) return "reading"
    this.kind = "number"
    if (byte === 0x2d || isDigit(byte)) return "reading"
    this.kind = "literal"
    this.letters = literals.get(byte) ?? []
    this.matched = 1
    return this.letters.length > 0 ? "reading" : "wrong"
  }

  private proceed(chunk: Uint8Array, start: number): number {
    if (this.kind === "nested") return this.nested(chunk, start)
    return this.kind === "number" ? this.number(chunk, start) : this.literal(chunk, start)
  }

  private nested(chunk: Uint8Array, start: number): number {
    const end = chunk.length
    let { depth, quoted } = this
    let at = this.escaped ? start + 1 : start
    // A string that comes in several chunks is long, so that a search pays.
    if (quoted) at = skipQuoted(chunk, at, end)
    while (at < end) {
      if (quoted) {
        for (let byte: number; at < end && (byte = chunk[at]!) !== 0x22;) at += byte === 0x5c ? 2 : 1
        if (at >= end) break
        quoted = false
        at++
      } else {
        while (at < end && kinds[chunk[at]!] === other) at++
        if (at === end) break
        const kind = kinds[chunk[at++]!]!
        if (kind === open) depth++
        else if (kind === close) depth--
        else quoted = true
      }
      if (depth === 0 && !quoted) {
        this.state = "ended"
        this.escaped = false
        return at
      }
    }
    this.depth = depth
    this.quoted = quoted
    this.escaped = at > end
    return end
  }

  private number(chunk: Uint8Array, start: number): number {
    let at = start
    while (at < chunk.length && isInNumber(chunk[at]!)) at++
    if (at < chunk.length) this.state = "ended"
    return at
  }

  private literal(chunk: Uint8Array, start: number): number {
    let at = start
    while (at < chunk.length && this.state === "reading") {
      if (chunk[at++] !== this.letters[this.matched++]) this.state = "wrong"
      else if (this.matched === this.letters.length) this.state = "ended"
    }
    return at
  }
}

const other = 0
const quote = 1
const open = 2
const close = 3

/** What a byte means within brackets and outside strings. */
const kinds = new Uint8Array(256)
kinds[0x22] = quote
for (const byte of ascii("{[")) kinds[byte] = open
for (const byte of ascii("}]")) kinds[byte] = close

const literals: ReadonlyMap<number, ReadonlyArray<number>> = new Map(
  ["true", "false", "null"].map((word) => [word.charCodeAt(0), ascii(word)])
)

/** A `C`: no JSON value begins so, and `Content-Length` does. */
const mayBeginHeader = (byte: number | undefined): boolean => byte === 0x43 || byte === 0x63

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39

/** Digits, signs, the point and the exponent: whether they make a number is for `JSON.parse` to say. */
const isInNumber = (byte: number): boolean =>
  isDigit(byte) || byte === 0x2b || byte === 0x2d || byte === 0x2e || byte === 0x45 || byte === 0x65

/** A newline after each text also ends a number. */
export const join = (texts: ReadonlyArray<string>): Uint8Array => encode(withNewlines(texts))
