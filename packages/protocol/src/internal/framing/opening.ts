/**
 * The first bytes of a stream: a byte order mark is taken off, a foreign protocol
 * ends it (promise 6). And its end: after its last word a splitter says nothing.
 *
 * A browser can be made to open a connection to any local port, but not to send
 * anything before its HTTP request line or its TLS hello. Both are told from the
 * first bytes that differ from all JSON and from all header names, so legal
 * traffic never waits: it begins with none of these letters.
 */
import { ascii, excerpt } from "../utf8.ts"
import type { Frame, LostPlace, Splitter } from "./frame.ts"

const methods = ["GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE", "PRI"]

const foreign: ReadonlyArray<{ readonly bytes: ReadonlyArray<number>; readonly detail: string }> = [
  ...methods.map((method) => ({ bytes: ascii(`${method} `), detail: "the stream begins like an HTTP request" })),
  { bytes: [0x16, 0x03], detail: "the stream begins like a TLS hello" }
]

const mark = [0xef, 0xbb, 0xbf]

/** A splitter that looks at the first bytes, then hands the stream to `make(offset)`. */
export const opening = (make: (offset: number) => Splitter): Splitter => {
  let head: Uint8Array = new Uint8Array(0)
  let body: Splitter | undefined
  let over = false

  const begin = (bytes: Uint8Array): ReadonlyArray<Frame> => {
    const signature = foreign.find((one) => starts(bytes, one.bytes))
    if (signature !== undefined) return [lost(bytes.subarray(0, signature.bytes.length), signature.detail)]
    const marked = starts(bytes, mark) ? mark.length : 0
    body = make(marked)
    return body.push(marked === 0 ? bytes : bytes.subarray(marked))
  }

  const settle = (frames: ReadonlyArray<Frame>): ReadonlyArray<Frame> => {
    const final = frames.length === 0 ? undefined : frames[frames.length - 1]
    if (typeof final === "object" && final._tag === "LostPlace") {
      over = true
      body = undefined
    }
    return frames
  }

  return {
    push: (chunk) => {
      if (over || chunk.length === 0) return []
      if (body !== undefined) return settle(body.push(chunk))
      head = append(head, chunk)
      if (undecided(head)) return []
      const bytes = head
      head = new Uint8Array(0)
      return settle(begin(bytes))
    },
    end: () => {
      if (over) return []
      const frames = settle(head.length === 0 ? [] : begin(head))
      const rest = over || body === undefined ? [] : body.end()
      over = true
      body = undefined
      return [...frames, ...rest]
    },
    partial: () => !over && (body === undefined ? head.length > 0 : body.partial())
  }
}

const starts = (bytes: Uint8Array, prefix: ReadonlyArray<number>): boolean =>
  bytes.length >= prefix.length && prefix.every((byte, index) => bytes[index] === byte)

/** Whether what is here begins one of the signatures, or the mark, and does not end it. */
const undecided = (bytes: Uint8Array): boolean => {
  if (!doubtful.has(bytes[0]!)) return false
  const begins = (prefix: ReadonlyArray<number>): boolean =>
    bytes.length < prefix.length && bytes.every((byte, index) => prefix[index] === byte)
  return begins(mark) || foreign.some((one) => begins(one.bytes))
}

const doubtful: ReadonlySet<number> = new Set([mark[0]!, ...foreign.map((one) => one.bytes[0]!)])

const append = (head: Uint8Array, chunk: Uint8Array): Uint8Array => {
  if (head.length === 0) return chunk
  const bytes = new Uint8Array(head.length + chunk.length)
  bytes.set(head)
  bytes.set(chunk, head.length)
  return bytes
}

const lost = (bytes: Uint8Array, detail: string): LostPlace => ({
  _tag: "LostPlace",
  reason: "ForeignProtocol",
  detail,
  offset: 0,
  excerpt: excerpt(bytes)
})
