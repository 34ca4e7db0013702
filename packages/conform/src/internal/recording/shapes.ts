/**
 * Values that differ from run to run, by their names and by their shapes: times, tokens, and ids that somebody has drawn.
 */
import { mark } from "@parley/traffic/Redaction"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"

/** Members whose values name work or a position, and are sent back by the other side. */
const tokens =
  /^(?:(?:progress|workDone|partialResult|page|next|continuation|resume|sync)?token|(?:next)?cursor|(?:session|task|elicitation|request|trace|span|correlation|subscription|stream|run|process|connection)id|pid|nonce|etag|traceparent)$/i

/** Whether a member has a value that only its side gives a meaning. */
export const isTokenName = (name: string | undefined): boolean =>
  name !== undefined && tokens.test(name.replace(/[-_]/g, ""))

/** Members that say when something was. */
const times = /(?:time|timestamp|date|(?:created|updated|modified|accessed|expires|started|ended)(?:at|on)?)$/i

/** Whether a number or string of this member says when something was, at a time near this one. */
export const isTime = (name: string | undefined, value: number, near: number): boolean => {
  const milliseconds = value > 1e11 ? value : value * 1_000
  return Math.abs(milliseconds - near) < (name !== undefined && times.test(name.replace(/[-_]/g, "")) ? year : day)
}

const day = 24 * 60 * 60 * 1_000
const year = 366 * day

/** Parts of texts that are drawn or tell the time, and what stands for each of them. */
const parts: ReadonlyArray<readonly [pattern: RegExp, by: string]> = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "{uuid}"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?/g, "{time}"],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d{1,2} )?[A-Z][a-z]{2}(?: \d{1,2})? \d{4} \d{2}:\d{2}:\d{2}(?: (?:GMT|UTC)(?:[+-]\d{4})?)?/g,
    "{time}"
  ],
  [/\b\d{1,2}\/\d{1,2}\/\d{4}, \d{1,2}:\d{2}:\d{2}(?: [AP]M)?/g, "{time}"],
  [/\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?[AP]M\b)?/g, "{time}"],
  // ULIDs, and digests in hexadecimal.
  [/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, "{ulid}"],
  [/\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,128}\b/gi, "{hex}"],
  // Milliseconds since 1970, of this century.
  [/\b1[5-9]\d{11}\b/g, "{time}"]
]

/** The text without what is drawn or tells the time. */
export const plain = (text: string): string => {
  if (!mayHaveParts.test(text)) return text
  let result = text
  for (const [pattern, by] of parts) result = result.replace(pattern, by)
  return result
}

/** Whether two texts that differ may. Base64 may have a time in it, as a blob of MCP. */
export const isAlike = (one: string, other: string): boolean => {
  if (plain(one) === plain(other)) return true
  if (!isBase64.test(one) || !isBase64.test(other)) return false
  const [ours, theirs] = [Base64.decodeString(one), Base64.decodeString(other)]
  return Result.isSuccess(ours) && Result.isSuccess(theirs) && plain(ours.success) === plain(theirs.success)
}

const isBase64 = /^(?:[\w+/]{4}){4,}(?:[\w+/]{2,3}={1,2})?$/

/** Most texts are words. */
const mayHaveParts = /\d:\d|[0-9a-f]{8}|\d{2}[A-Z0-9]{10}|[A-Z0-9]{26}/i

/** The drawn part of a text, where it is all of the text that may differ. */
export const drawnOf = (text: string): ReadonlyArray<string> =>
  parts.flatMap(([pattern, by]) => by === "{time}" ? [] : text.match(pattern) ?? [])

/** Whether a text has the mark of a secret that was left out. */
export const isRedacted = (text: string): boolean => text.includes(mark)

/** Whether a text is a recorded one with something in place of the marks. */
export const fitsRedacted = (recorded: string, came: string): boolean => {
  const [first = "", ...rest] = recorded.split(mark)
  if (!came.startsWith(first)) return false
  let at = first.length
  for (const [index, part] of rest.entries()) {
    const found = index === rest.length - 1 && part === "" ? came.length : came.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at === came.length || rest.at(-1) === ""
}
