/**
 * No framing: each chunk is a text, such as a datagram or a message of a WebSocket.
 */
import type { Limits } from "../../Limits.ts"
import { decode, encode, excerpt } from "../utf8.ts"
import { envelopeOf } from "./envelope.ts"
import type { Frame, Splitter } from "./frame.ts"

export const splitter = (limits: Pick<Limits, "frame">): Splitter => ({
  push: (chunk) => [frame(withoutMark(chunk), limits.frame)],
  end: () => [],
  partial: () => false
})

const frame = (bytes: Uint8Array, limit: number): Frame => {
  const text = bytes.length > limit ? undefined : decode(bytes)
  if (text !== undefined) return text
  const reason = bytes.length > limit ? "TooLarge" : "InvalidUtf8"
  return { _tag: "BadFrame", reason, excerpt: excerpt(bytes), ...envelopeOf(bytes) }
}

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

/** Several texts in one message cannot be separated, so a sender joins one at a time. */
export const join = (texts: ReadonlyArray<string>): Uint8Array => encode(texts.join("\n"))
