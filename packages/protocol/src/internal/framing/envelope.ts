/**
 * The id and the kind of a frame that is not kept.
 *
 * The bytes are followed one after the other, in bounded memory: strings with their escapes, the depth of brackets, the
 * current key of the top-level object, and at most 256 bytes of the value of `id`. Whether they are JSON is not
 * checked. Of an array at the top level, the first member is followed.
 *
 * Only a notification is known by what it lacks. So a message is one only if its object has ended, and each of its
 * members is a key, a colon and one value. A text that breaks that rule may have lost its `id`.
 */
import { ascii, decode, encode } from "../utf8.ts"
import type { BadFrame } from "./frame.ts"
import { skipQuoted } from "./quoted.ts"

/** Bytes of an id. One that is longer is not kept. */
const longestId = 256

/** Bytes of a key that may matter: `"method"` with every letter escaped. */
const longestKey = 38

/** The kind and the id of a frame, as far as they can be read. */
export type Claim = Pick<BadFrame, "kind" | "firstKind" | "id">

export class Envelope {
  /** `over`: nothing that follows can matter. */
  private place: "before" | "key" | "colon" | "value" | "after" | "over" = "before"
  private isBatch = false
  private depth = 0
  private quoted = false
  private escaped = false

  private readonly captured = new Uint8Array(longestId)
  private count = 0
  /** How many bytes of the string or value being read are kept: 0 where it does not matter. */
  private room = 0

  /** The part of the current member's value that was read: nothing, the beginning of a number or a word, or all of it. */
  private progress: "none" | "begun" | "whole" = "none"
  /** Whether something stands where no member of an object has it. */
  private isBroken = false

  private key: unknown = undefined
  private readonly keys = new Set<unknown>()
  private id: string | undefined = undefined

  /** Reads on. */
  push(chunk: Uint8Array, start: number, end: number): void {
    let at = start
    while (at < end && this.place !== "over") {
      if (this.escaped) {
        this.escaped = false
        this.capture(chunk[at++]!)
      } else if (this.quoted) at = this.inString(chunk, at, end)
      else if (this.depth > 1) at = this.nested(chunk, at, end)
      else this.byte(chunk[at++]!)
    }
  }

  /** Whether nothing that follows can matter. */
  get isOver(): boolean {
    return this.place === "over"
  }

  /** The claim of a frame that has ended. A notification lacks an `id`, which one that is cut short may have lost. */
  final(): Claim {
    const outcome = this.outcome()
    return outcome.kind === "notification" && !this.isWhole ? {} : outcome
  }

  /** What the bytes read so far say. */
  outcome(): Claim {
    const { id, keys } = this
    const kind = keys.has("method")
      ? keys.has("id") ? "request" : "notification"
      : keys.has("result") || keys.has("error")
      ? "response"
      : undefined
    if (kind === undefined) return {}
    if (this.isBatch) return { firstKind: kind }
    return id === undefined ? { kind } : { kind, id }
  }

  /** Whether the object has ended, and nothing stands in it where no member has it. */
  private get isWhole(): boolean {
    return !this.isBroken && this.place === "after"
  }

  private inString(chunk: Uint8Array, start: number, end: number): number {
    if (this.room === 0) {
      const at = skipQuoted(chunk, start, end)
      this.escaped = at > end
      if (at >= end) return end
      if (chunk[at] !== quote) return at
      this.endString()
      return at + 1
    }
    const byte = chunk[start]!
    this.capture(byte)
    if (byte === backslash) this.escaped = true
    else if (byte === quote) this.endString()
    return start + 1
  }

  private endString(): void {
    this.quoted = false
    if (this.place !== "key") return
    this.key = this.value()
    this.place = "colon"
  }

  /** Within brackets of the top-level object only brackets and strings are told apart. */
  private nested(chunk: Uint8Array, start: number, end: number): number {
    let depth = this.depth
    let at = start
    while (at < end && depth > 1) {
      const kind = kinds[chunk[at++]!]
      if (kind === open) depth++
      else if (kind === close) depth--
      else if (kind === quote_) {
        for (let byte: number; at < end && (byte = chunk[at]!) !== quote;) at += byte === backslash ? 2 : 1
        this.quoted = at >= end
        this.escaped = at > end
        at++
      }
    }
    this.depth = depth
    return Math.min(at, end)
  }

  /** A byte outside strings, of the top-level object itself or before it. */
  private byte(byte: number): void {
    if (isBlank(byte)) {
      // One blank tells two values apart as well as many, which would take the room of an id.
      if (this.count > 0 && !isBlank(this.captured[this.count - 1]!)) this.capture(byte)
      if (this.progress === "begun") this.progress = "whole"
      return
    }
    if (this.place === "before") {
      if (byte === bracket && !this.isBatch) {
        this.isBatch = true
        return
      }
      this.place = byte === brace ? "key" : "over"
      this.depth = 1
      return
    }
    if (this.place === "after") {
      // Two values in one frame are not a message. What follows the first member of a batch does not matter.
      if (!this.isBatch) this.keys.clear()
      this.place = "over"
      return
    }
    switch (kinds[byte]) {
      case quote_:
        this.quoted = true
        if (this.place === "key") this.begin(longestKey)
        else this.beginWhole()
        return this.capture(byte)
      case open:
        this.depth++
        this.beginWhole()
        // An array or an object is not an id.
        return this.begin(0)
      case close:
        if (byte !== closingBrace) this.isBroken = true
        this.endValue()
        this.place = "after"
        return
    }
    if (byte === comma) this.endValue()
    else if (byte === colon && this.place === "colon") this.beginValue()
    // Every key is a string.
    else if (this.place === "key") this.place = "over"
    else {
      if (this.progress === "whole" || this.place === "colon") this.isBroken = true
      this.progress = "begun"
      this.capture(byte)
    }
  }

  /** Reads a value where one may begin. */
  private beginWhole(): void {
    if (this.place !== "value" || this.progress !== "none") this.isBroken = true
    this.progress = "whole"
  }

  private beginValue(): void {
    this.place = "value"
    this.progress = "none"
    if (typeof this.key === "string" && decisive.has(this.key)) this.keys.add(this.key)
    this.begin(this.key === "id" ? longestId : 0)
  }

  private endValue(): void {
    if (this.place === "colon" || (this.place === "value" && this.progress === "none")) this.isBroken = true
    if (this.place === "value" && this.key === "id") {
      const value = this.value()
      const isId = value === null || typeof value === "string" || typeof value === "number"
      this.id = isId ? decode(this.captured.subarray(0, this.count))?.trim() : undefined
    }
    this.place = "key"
    this.key = undefined
    this.begin(0)
  }

  private begin(room: number): void {
    this.room = room
    this.count = 0
  }

  private capture(byte: number): void {
    if (this.count < this.room) this.captured[this.count++] = byte
    else this.begin(0)
  }

  /** The JSON value of the captured bytes, or `undefined` where they are not JSON or too many. */
  private value(): unknown {
    const text = decode(this.captured.subarray(0, this.count))
    try {
      return text === undefined ? undefined : JSON.parse(text)
    } catch {
      return undefined
    }
  }
}

/** What these bytes of a whole frame say about it. */
export const envelopeOf = (bytes: Uint8Array): Claim => {
  const envelope = new Envelope()
  envelope.push(bytes, 0, bytes.length)
  return envelope.final()
}

/** Characters that are encoded at once. */
const piece = 16_384

/** The claim of a text. A long text is never in memory twice. */
export const envelopeOfText = (text: string): Claim => {
  const envelope = new Envelope()
  for (let start = 0; start < text.length && !envelope.isOver;) {
    const end = start + piece < text.length && isHigh(text.charCodeAt(start + piece - 1))
      ? start + piece - 1
      : start + piece
    const bytes = encode(text.slice(start, end))
    envelope.push(bytes, 0, bytes.length)
    start = end
  }
  return envelope.final()
}

/** Whether a unit is the first half of a character. */
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** The keys that tell what a message is. */
const decisive: ReadonlySet<string> = new Set(["id", "method", "result", "error"])

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const brace = 0x7b
const closingBrace = 0x7d
const bracket = 0x5b

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const quote_ = 1
const open = 2
const close = 3

/** What a byte means within brackets and outside strings. */
const kinds = new Uint8Array(256)
kinds[quote] = quote_
for (const byte of ascii("{[")) kinds[byte] = open
for (const byte of ascii("}]")) kinds[byte] = close
