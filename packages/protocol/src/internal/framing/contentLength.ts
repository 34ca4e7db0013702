/**
 * The LSP base protocol (3.17): a header block that says how many bytes follow.
 *
 * `header` reads the block. The usual one, a lone `Content-Length: N`, is
 * read in place. The bodies of a chunk are decoded together.
 */
import type { Limits } from "../../Limits.ts"
import { ascii, concat, encode, shortText } from "../utf8.ts"
import type { Frame, Splitter } from "./frame.ts"
import { HeaderBlock } from "./header.ts"
import { Held } from "./held.ts"
import { jsonFirst, type Lose, opening, otherFraming } from "./opening.ts"
import { Run } from "./run.ts"

export const splitter = (limits: Pick<Limits, "frame" | "header">): Splitter =>
  opening((offset, lose) => body(limits, offset, lose))

const body = (limits: Pick<Limits, "frame" | "header">, start: number, lose: Lose): Splitter => {
  const held = new Held(limits.frame)
  const run = new Run()
  /** Bytes of the stream before the chunk. */
  let offset = start
  let header: HeaderBlock | undefined
  /** Where the header began. */
  let headerStart = start
  /** Whether the header is read, where the body began, how many of its bytes are missing, and whether it is UTF-8. */
  let inBody = false
  let bodyStart = 0
  let missing = 0
  let utf8 = true

  const beginBody = (length: number, isUtf8: boolean, at: number): void => {
    inBody = true
    bodyStart = offset + at
    missing = length
    utf8 = isUtf8
    if (!isUtf8) held.refuse()
  }

  const endBody = (at: number): void => {
    inBody = false
    header = undefined
    headerStart = offset + at
  }

  /** Reads the header as far as the chunk has it, and returns where it stopped. */
  const readHeader = (chunk: Uint8Array, start: number): number => {
    const end = header === undefined ? lone(chunk, start, limits.header) : -1
    if (end > 0) {
      beginBody(loneLength(chunk, start), true, end)
      return end
    }
    header ??= new HeaderBlock(limits.header, headerStart)
    const at = header.push(chunk, start)
    if (header.outcome?._tag === "Header") beginBody(header.outcome.length, header.outcome.utf8, at)
    return at
  }

  /** Reads the body as far as the chunk has it, and returns where it stopped. */
  const readBody = (chunk: Uint8Array, start: number, frames: Array<Frame>): number => {
    const end = Math.min(chunk.length, start + missing)
    if (held.size === 0 && utf8 && end - start === missing && missing <= limits.frame) {
      run.add(start, end)
      endBody(end)
      return end
    }
    held.add(chunk, start, end)
    missing -= end - start
    if (missing > 0) return end
    run.flush(chunk, frames)
    frames.push(held.take(false))
    endBody(end)
    return end
  }

  return {
    push: (chunk) => {
      const frames: Array<Frame> = []
      for (let at = 0; at < chunk.length;) {
        if (!inBody) at = readHeader(chunk, at)
        if (inBody) at = readBody(chunk, at, frames)
        else if (header?.outcome?._tag === "LostPlace") {
          run.flush(chunk, frames)
          const { excerpt } = header.outcome
          if (header.isJson && headerStart === start) return lose([otherFraming(jsonFirst, excerpt)])
          frames.push(header.outcome)
          return lose(frames)
        }
      }
      run.flush(chunk, frames)
      offset += chunk.length
      return frames
    },
    end: () => {
      if (!inBody) {
        return header === undefined || header.isBlank
          ? []
          : [header.lost("Truncated", 0, "the input ended inside a header block")]
      }
      const detail = `the input ended ${missing} bytes before the end of a body`
      return [{ _tag: "LostPlace", reason: "Truncated", detail, offset: bodyStart, excerpt: held.excerpt() }]
    },
    partial: () => inBody || header?.isBlank === false
  }
}

const name = ascii("Content-Length: ")
const blank = ascii("\r\n\r\n")

/** Fifteen digits are below 2^53. */
const digitsMax = 15

/** The end of a complete block that is exactly `Content-Length: N`, or -1. */
const lone = (chunk: Uint8Array, start: number, limit: number): number => {
  for (let index = 0; index < name.length; index++) if (chunk[start + index] !== name[index]) return -1
  const digits = start + name.length
  let at = digits
  while (isDigit(chunk[at])) at++
  if (at === digits || at - digits > digitsMax) return -1
  for (let index = 0; index < blank.length; index++) if (chunk[at + index] !== blank[index]) return -1
  const end = at + blank.length
  return end - start > limit ? -1 : end
}

const loneLength = (chunk: Uint8Array, start: number): number => {
  let length = 0
  for (let at = start + name.length; isDigit(chunk[at]); at++) length = length * 10 + chunk[at]! - 48
  return length
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57

export const join = (texts: ReadonlyArray<string>): Uint8Array => {
  const [first = ""] = texts
  if (texts.length === 1 && first.length > shortText) return framed(first)
  let all = ""
  for (const text of texts) all += headerOf(text.length) + text
  const bytes = encode(all)
  // As many bytes as letters: the texts are ASCII, and the lengths were right.
  return bytes.length === all.length ? bytes : concat(texts.map(framed))
}

const headerOf = (length: number): string => `Content-Length: ${length}\r\n\r\n`

/** Room for the largest header. */
const headerMax = headerOf(Number.MAX_SAFE_INTEGER).length

/** A text after its header, which is written last, because only then its length is known. */
const framed = (text: string): Uint8Array => {
  const bytes = encode(text, headerMax)
  const header = headerOf(bytes.length - headerMax)
  const start = headerMax - header.length
  for (let index = 0; index < header.length; index++) bytes[start + index] = header.charCodeAt(index)
  return bytes.subarray(start)
}
