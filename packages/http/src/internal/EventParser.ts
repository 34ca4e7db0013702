/**
 * Finds events in the bytes of a `text/event-stream` (WHATWG HTML, 9.2.6).
 *
 * It keeps bytes, not strings: the data of an event is decoded once, as a whole, so
 * that many short lines take no more memory than their bytes.
 */
import { Bytes } from "@parley/protocol/shared"

/** What an event stream says. */
export interface Handler {
  readonly onEvent: (data: string, name: string, id: string | undefined) => void
  readonly onRetry: (milliseconds: number) => void
}

/** Bytes of a line that are no data: the name of the field, and a byte order mark. */
const overhead = 9

/** The longest name of a field that matters. */
const longestName = 5

export class EventParser {
  readonly #limit: number
  readonly #handler: Handler
  /** The line that has not ended. */
  readonly #line = new Bytes.Bytes()
  /** The data of the event that has not ended, of which `#hasData` says whether there is any. */
  readonly #data = new Bytes.Bytes()
  #hasData = false
  #name = ""
  #id: string | undefined = undefined
  #isFirst = true
  /** Whether the last byte was a carriage return: a line feed that follows ends no line. */
  #isAfterReturn = false

  /** An event may have so many bytes of data. */
  constructor(limit: number, handler: Handler) {
    this.#limit = limit
    this.#handler = handler
  }

  /** Bytes that are kept. */
  get size(): number {
    return this.#line.size + this.#data.size + this.#name.length + (this.#id?.length ?? 0)
  }

  /** Takes bytes. Gives a sentence where nothing more should be read. */
  push(chunk: Uint8Array): string | undefined {
    let at = 0
    if (this.#isAfterReturn && chunk.length > 0) {
      this.#isAfterReturn = false
      if (chunk[0] === lineFeed) at = 1
    }
    let feed = chunk.indexOf(lineFeed, at)
    let carriage = chunk.indexOf(carriageReturn, at)
    while (feed !== -1 || carriage !== -1) {
      const isReturn = carriage !== -1 && (feed === -1 || carriage < feed)
      const end = isReturn ? carriage : feed
      const problem = this.#endLine(chunk, at, end)
      if (problem !== undefined) return problem
      at = end + 1
      if (isReturn && at === chunk.length) this.#isAfterReturn = true
      else if (isReturn && feed === at) at++
      if (feed !== -1 && feed < at) feed = chunk.indexOf(lineFeed, at)
      if (carriage !== -1 && carriage < at) carriage = chunk.indexOf(carriageReturn, at)
    }
    this.#line.add(chunk, at)
    return this.size > this.#limit + overhead ? this.#tooLarge() : undefined
  }

  #endLine(chunk: Uint8Array, start: number, end: number): string | undefined {
    if (this.#line.size === 0) return this.#take(chunk, start, end)
    this.#line.add(chunk, start, end)
    const line = this.#line.join()
    const problem = this.#take(line, 0, line.length)
    this.#line.clear()
    return problem
  }

  #take(line: Uint8Array, lineStart: number, end: number): string | undefined {
    const start = this.#isFirst && isMark(line, lineStart) ? lineStart + 3 : lineStart
    this.#isFirst = false
    if (start >= end) return this.#endEvent()
    const colon = line.subarray(start, end).indexOf(colonByte)
    const nameEnd = colon === -1 ? end : start + colon
    const valueStart = Math.min(line[nameEnd + 1] === space ? nameEnd + 2 : nameEnd + 1, end)
    if (isData(line, start, nameEnd)) {
      if (this.#hasData) this.#data.add(newline)
      this.#hasData = true
      this.#data.add(line, valueStart, end)
      return this.#data.size > this.#limit ? this.#tooLarge() : undefined
    }
    if (nameEnd === start || nameEnd - start > longestName) return undefined
    const name = decode(line, start, nameEnd)
    const value = decode(line, valueStart, end)
    if (name === undefined || value === undefined) return noUtf8
    if (name === "event") this.#name = value
    else if (name === "id" && !value.includes("\0")) this.#id = value
    else if (name === "retry" && /^\d+$/.test(value)) this.#handler.onRetry(Number(value))
    return undefined
  }

  #endEvent(): string | undefined {
    const name = this.#name
    this.#name = ""
    if (!this.#hasData) return undefined
    this.#hasData = false
    const data = this.#data.text()
    this.#data.clear()
    if (data === undefined) return noUtf8
    this.#handler.onEvent(data, name === "" ? "message" : name, this.#id)
    return undefined
  }

  #tooLarge(): string {
    return `an event is larger than ${this.#limit}`
  }
}

const noUtf8 = "the event stream is no UTF-8"

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decode = (bytes: Uint8Array, start: number, end: number): string | undefined => {
  try {
    return utf8.decode(bytes.subarray(start, end))
  } catch {
    return undefined
  }
}

/** Whether these bytes are `data`, the one name that nearly all lines have. */
const isData = (bytes: Uint8Array, start: number, end: number): boolean =>
  end - start === 4 && bytes[start] === 0x64 && bytes[start + 1] === 0x61 && bytes[start + 2] === 0x74 &&
  bytes[start + 3] === 0x61

/** Whether a byte order mark stands here. */
const isMark = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf

const newline = Uint8Array.of(10)

const lineFeed = 10
const carriageReturn = 13
const space = 32
const colonByte = 58
