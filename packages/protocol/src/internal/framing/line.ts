/**
 * One text per line: LF or CRLF in, LF out, blank lines ignored.
 *
 * The whole lines of a chunk are decoded in one go and split as a string, which
 * is ten times cheaper than one decoding per line. Only a chunk that
 * is not UTF-8, or in which a line may be too large, is read line by line.
 */
import type { Limits } from "../../Limits.ts"
import { decode, encode, excerpt } from "../utf8.ts"
import type { Frame, Splitter } from "./frame.ts"
import { Held } from "./held.ts"
import { headerFirst, isHeader, type Lose, opening, otherFraming } from "./opening.ts"

const newline = 10

/** From this size on, a chunk is likely to be part of one line. */
const large = 4096

export const splitter = (limits: Pick<Limits, "frame">): Splitter =>
  opening((_, lose) => watched(body(limits.frame), lose))

/** Looks at the first text, which is a header where the other side frames texts so. */
const watched = (lines: Splitter, lose: Lose): Splitter => {
  let isFirst = true
  const look = (frames: ReadonlyArray<Frame>): ReadonlyArray<Frame> => {
    if (frames.length === 0) return frames
    isFirst = false
    const [first] = frames
    return isHeader(first) ? lose([otherFraming(`${headerFirst} \`line\``, excerpt(encode(first)))]) : frames
  }
  return {
    push: (chunk) => isFirst ? look(lines.push(chunk)) : lines.push(chunk),
    end: () => isFirst ? look(lines.end()) : lines.end(),
    partial: lines.partial
  }
}

const body = (limit: number): Splitter => {
  const held = new Held(limit)

  const finish = (frames: Array<Frame>): void => {
    const frame = held.take(true)
    if (typeof frame !== "string" || !isBlank(frame)) frames.push(frame)
  }

  const oneByOne = (chunk: Uint8Array, start: number, last: number, frames: Array<Frame>): void => {
    for (let at = start; at <= last;) {
      const end = chunk.indexOf(newline, at)
      held.add(chunk, at, end)
      finish(frames)
      at = end + 1
    }
  }

  return {
    push: (chunk) => {
      const frames: Array<Frame> = []
      let start = 0
      if (held.size > 0 || mayBePart(chunk)) {
        const end = chunk.indexOf(newline)
        held.add(chunk, 0, end < 0 ? chunk.length : end)
        if (end < 0) return frames
        finish(frames)
        start = end + 1
      }
      const last = chunk[chunk.length - 1] === newline ? chunk.length - 1 : chunk.lastIndexOf(newline)
      if (last < start) {
        held.add(chunk, start, chunk.length)
        return frames
      }
      // The last newline stays: taking it off would cost a view of the bytes, but is next to nothing in a string.
      const all = start === 0 && last === chunk.length - 1 ? chunk : chunk.subarray(start, last + 1)
      const text = last - start > limit ? undefined : decode(all)
      if (text === undefined) oneByOne(chunk, start, last, frames)
      if (last + 1 < chunk.length) held.add(chunk, last + 1, chunk.length)
      return text === undefined ? frames : linesOf(text, frames)
    },
    end: () => {
      const frames: Array<Frame> = []
      if (held.size > 0) finish(frames)
      return frames
    },
    partial: () => held.size > 0
  }
}

const mayBePart = (chunk: Uint8Array): boolean => chunk.length >= large && chunk.subarray(0, 512).indexOf(newline) < 0

/** The lines of a text that ends with a newline, after those that are here already. */
const linesOf = (text: string, before: Array<Frame>): Array<Frame> => {
  const first = text.indexOf("\n")
  const lines = first === text.length - 1 ? [text.slice(0, first)] : text.slice(0, -1).split("\n")
  if (before.length === 0 && lines.every(isClean)) return lines
  for (const line of lines) {
    const kept = line.endsWith("\r") ? line.slice(0, -1) : line
    if (!isBlank(kept)) before.push(kept)
  }
  return before
}

/** Whether a line is certainly a text as it stands. */
const isClean = (line: string): boolean =>
  line.length > 0 && line.charCodeAt(0) > 32 && line.charCodeAt(line.length - 1) !== 13

const isBlank = (line: string): boolean => line.length === 0 || (line.charCodeAt(0) <= 32 && /^[ \t\r]*$/.test(line))

export const join = (texts: ReadonlyArray<string>): Uint8Array => {
  const lines = withNewlines(texts)
  return encode(isLines(lines, texts.length) ? lines : withNewlines(texts.map(oneLine)))
}

/** A newline after each text. */
export const withNewlines = (texts: ReadonlyArray<string>): string => {
  let lines = ""
  for (const text of texts) lines += `${text}\n`
  return lines
}

/**
 * Whether the only line ends are those after the texts. All texts are checked at once, because reading a text that was
 * just joined copies it, and joining it with the others would copy it again.
 */
const isLines = (lines: string, count: number): boolean => {
  let at = -1
  for (let seen = 0; seen < count; seen++) at = lines.indexOf("\n", at + 1)
  return at === lines.length - 1 && !lines.includes("\r")
}

/** Raw line ends are white space in JSON, as in a text that was indented for people. */
const oneLine = (text: string): string => text.replace(/[\r\n]/g, " ")
