/**
 * Makes the bad frames of every framing and of every wire.
 */
import { type Claim, envelopeOf, envelopeOfText } from "./framing/envelope.ts"
import type { BadFrame } from "./framing/frame.ts"
import { encode, excerpt, excerptBytes } from "./utf8.ts"

/** A bad frame of which this is known: its excerpt, and its envelope where that could be read. */
export const make = (
  reason: BadFrame["reason"],
  excerpt: string,
  { firstKind, id, kind }: Claim
): BadFrame => ({
  _tag: "BadFrame",
  reason,
  excerpt,
  ...(kind !== undefined && { kind }),
  ...(firstKind !== undefined && { firstKind }),
  ...(id !== undefined && { id })
})

/** A whole frame in bytes. */
export const ofBytes = (reason: BadFrame["reason"], bytes: Uint8Array): BadFrame =>
  make(reason, excerpt(bytes), envelopeOf(bytes))

/** A whole frame as a text. */
export const ofText = (reason: BadFrame["reason"], text: string): BadFrame =>
  // A unit has at least one byte.
  make(reason, excerpt(encode(text.slice(0, excerptBytes))), envelopeOfText(text))
