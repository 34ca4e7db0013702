/**
 * What is said to a stream that begins in another framing: one bad frame, which costs an error reply, and a lost place.
 *
 * The reply tells the other side, whose own framing finds as strange what it gets. Without it, two sides that frame
 * texts in different ways wait for each other until their calls time out.
 */
import type { BadFrame, Frame, LostPlace } from "./frame.ts"

/** A lost place at the beginning of a stream, after the bad frame that tells the other side. */
export const otherFraming = (detail: string, excerpt: string): [BadFrame, LostPlace] => [
  { _tag: "BadFrame", reason: "OtherFraming", excerpt },
  { _tag: "LostPlace", reason: "OtherFraming", detail, offset: 0, excerpt }
]

/** Whether a frame is the first line of a header. */
export const isHeader = (frame: Frame | undefined): frame is string =>
  typeof frame === "string" && /^content-(?:length|type)[ \t]*:/i.test(frame)

export const headerFirst = "the stream begins with a Content-Length header, and the framing of this side is"

export const jsonFirst =
  "the stream begins with JSON and no Content-Length header, and the framing of this side is `contentLength`"
