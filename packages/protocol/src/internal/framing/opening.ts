/**
 * The first bytes of a stream: a byte order mark is taken off, and a foreign protocol
 * ends the stream (promise 6). And its end: after its last word a splitter says nothing.
 *
 * A browser can be made to open a connection to any local port. It begins there with the request line of HTTP, whose
 * method a page may choose, or with a TLS hello. A client that has connected to a server of HTTP gets a status line.
 * Neither JSON nor a header block begins like that.
 *
 * The splitter of the framing reads along while the first line may become a request line: nothing is kept twice, and no
 * text waits. Only a `LostPlace` waits, because `ForeignProtocol` says more. A stream may also begin in another framing.
 */
import * as bad from "../bad.ts"
import { excerpt } from "../utf8.ts"
import type { BadFrame, Frame, LostPlace, Splitter } from "./frame.ts"
import { RequestLine } from "./requestLine.ts"

const mark = [0xef, 0xbb, 0xbf]
const hello = [0x16, 0x03]

/** Called by a framing with its frames when the last of them is a `LostPlace`. Returns what there is to say. */
export type Lose = (frames: ReadonlyArray<Frame>) => ReadonlyArray<Frame>

/** A splitter that looks at the first line, then hands the stream to `make(offset, lose)`. */
export const opening = (make: (offset: number, lose: Lose) => Splitter): Splitter => {
  /** The first bytes, while they may become a mark or a hello. */
  let head: Uint8Array = new Uint8Array(0)
  let body: Splitter | undefined
  /** The first line, while it may become a request line. */
  let line: RequestLine | undefined
  /** What the framing says about the first line. */
  let waiting: LostPlace | undefined
  let over = false

  const begin = (bytes: Uint8Array): ReadonlyArray<Frame> => {
    if (starts(bytes, hello)) {
      return close([foreign("the stream begins like a TLS hello", 0, bytes.subarray(0, hello.length))])
    }
    const offset = starts(bytes, mark) ? mark.length : 0
    line = new RequestLine(offset)
    body = make(offset, (frames) => line === undefined ? close(frames) : frames)
    return bytes.length === offset ? [] : proceed(body, line, bytes.subarray(offset))
  }

  const proceed = (body: Splitter, first: RequestLine, bytes: Uint8Array): ReadonlyArray<Frame> => {
    const end = first.read(bytes)
    const isHttp = first.outcome === "request" || first.outcome === "status"
    const frames = waiting === undefined ? body.push(isHttp ? bytes.subarray(0, end) : bytes) : []
    const final = frames.at(-1)
    if (first.outcome === "other") {
      line = undefined
      if (waiting !== undefined || isLost(final)) return close(waiting === undefined ? frames : [waiting])
      // Chunks go to the framing itself from now on.
      splitter.push = body.push
      splitter.partial = body.partial
      return frames
    }
    const texts = isLost(final) ? frames.slice(0, -1) : frames
    if (isHttp) {
      const kind = first.outcome === "request" ? "request" : "response"
      return close([...texts, foreign(`the stream begins like an HTTP ${kind}`, first.offset, first.bytes)])
    }
    if (isLost(final)) waiting = final
    return texts
  }

  const close = (frames: ReadonlyArray<Frame>): ReadonlyArray<Frame> => {
    over = true
    body = line = waiting = undefined
    Object.assign(splitter, bounds)
    const final = frames.at(-1)
    return isLost(final) && final.reason === "OtherFraming" ? [...frames.slice(0, -1), told(final), final] : frames
  }

  /** Before the framing has the stream for itself, and after the end. */
  const bounds: Pick<Splitter, "push" | "partial"> = {
    push: (chunk) => {
      if (over || chunk.length === 0) return []
      if (body !== undefined) return line === undefined ? body.push(chunk) : proceed(body, line, chunk)
      head = append(head, chunk)
      if (undecided(head)) return []
      const bytes = head
      head = new Uint8Array(0)
      return begin(bytes)
    },
    partial: () => !over && (body === undefined ? head.length > 0 : waiting !== undefined || body.partial())
  }
  const end = (): ReadonlyArray<Frame> => {
    if (over) return []
    const frames = head.length === 0 ? [] : begin(head)
    const all = [...frames, ...waiting === undefined ? body?.end() ?? [] : [waiting]]
    return over ? all : close(all)
  }
  const splitter = { ...bounds, end }
  return splitter
}

const isLost = (frame: Frame | undefined): frame is LostPlace => typeof frame === "object" && frame._tag === "LostPlace"

const starts = (bytes: Uint8Array, prefix: ReadonlyArray<number>): boolean =>
  bytes.length >= prefix.length && prefix.every((byte, index) => bytes[index] === byte)

/** Whether what is here begins a mark or a hello, and does not end it. */
const undecided = (bytes: Uint8Array): boolean =>
  [mark, hello].some((prefix) => bytes.length < prefix.length && bytes.every((byte, index) => prefix[index] === byte))

const append = (head: Uint8Array, chunk: Uint8Array): Uint8Array => {
  if (head.length === 0) return chunk
  const bytes = new Uint8Array(head.length + chunk.length)
  bytes.set(head)
  bytes.set(chunk, head.length)
  return bytes
}

const foreign = (detail: string, offset: number, bytes: ArrayLike<number>): LostPlace => ({
  _tag: "LostPlace",
  reason: "ForeignProtocol",
  detail,
  offset,
  excerpt: excerpt(Uint8Array.from(bytes))
})

/** The loss of the place at the beginning of a stream. */
export const otherFraming = (detail: string, excerpt: string): LostPlace => ({
  _tag: "LostPlace",
  reason: "OtherFraming",
  detail,
  offset: 0,
  excerpt
})

/**
 * What comes before it. Its error reply tells the other side, whose own framing finds as strange what it gets. Without
 * it, two sides that frame texts in different ways wait for each other until their calls time out.
 */
const told = ({ excerpt }: LostPlace): BadFrame => bad.make("OtherFraming", excerpt, {})

/** Whether a frame is the first line of a header. */
export const isHeader = (frame: Frame | undefined): frame is string =>
  typeof frame === "string" && /^content-(?:length|type)[ \t]*:/i.test(frame)

export const headerFirst = "the stream begins with a Content-Length header, and the framing of this side is"

export const jsonFirst =
  "the stream begins with JSON and no Content-Length header, and the framing of this side is `contentLength`"
