/**
 * No framing at all: what is pushed is a text, as in a datagram or a message of a WebSocket.
 */
import type { Frame, Splitter } from "../Framing.ts"
import type { Limits } from "../Limits.ts"
import { decode, encode, excerpt } from "./utf8.ts"

export const splitter = (limits: Pick<Limits, "frame">): Splitter => ({
  push: (chunk) => [frame(withoutMark(chunk), limits.frame)],
  end: () => [],
  partial: () => false
})

const frame = (bytes: Uint8Array, limit: number): Frame => {
  const text = bytes.length > limit ? undefined : decode(bytes)
  if (text !== undefined) return text
  return { _tag: "BadFrame", reason: bytes.length > limit ? "TooLarge" : "InvalidUtf8", excerpt: excerpt(bytes) }
}

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

/** Nothing can tell several texts of one message apart, so a sender joins one at a time. */
export const join = (texts: ReadonlyArray<string>): Uint8Array => encode(texts.join("\n"))
