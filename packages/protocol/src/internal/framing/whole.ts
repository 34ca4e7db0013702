/**
 * No framing: each chunk is a text, such as a datagram or a message of a WebSocket.
 */
import type { Limits } from "../../Limits.ts"
import * as bad from "../bad.ts"
import { decode, encode } from "../utf8.ts"
import type { Frame, Splitter } from "./frame.ts"

export const splitter = (limits: Pick<Limits, "frame">): Splitter => ({
  push: (chunk) => [frame(withoutMark(chunk), limits.frame)],
  end: () => [],
  partial: () => false
})

const frame = (bytes: Uint8Array, limit: number): Frame => {
  if (bytes.length > limit) return bad.ofBytes("TooLarge", bytes)
  return decode(bytes) ?? bad.ofBytes("InvalidUtf8", bytes)
}

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

/** Several texts in one message cannot be separated, so a sender joins one at a time. */
export const join = (texts: ReadonlyArray<string>): Uint8Array => encode(texts.join("\n"))
