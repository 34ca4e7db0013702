/**
 * Changes the ids of messages in their text, and nothing else.
 *
 * For who passes texts on, as a proxy does: digits that no number of JavaScript
 * keeps, unknown members, the order of members and the blanks between them come
 * out as they went in, because the text is cut around its ids and never written anew.
 *
 * @since 0.1.0
 */
import { endOfString } from "./internal/depth.ts"

/**
 * The text with other ids. `replace` is given the text of each id, as it is written, and its place among the members
 * of a batch (0 for a single message). Members without an id stay as they are, and so does what is no message.
 *
 * Partial: the text must be JSON, as `Batch.decode` finds out.
 *
 * @category splicing
 * @since 0.1.0
 */
export const mapIds = (text: string, replace: (id: string, member: number) => string): string => {
  let result = ""
  let from = 0
  members(text).forEach(({ id }, member) => {
    if (id === undefined) return
    result += text.slice(from, id.start) + replace(text.slice(id.start, id.end), member)
    from = id.end
  })
  return result + text.slice(from)
}

/**
 * The texts of the members of a batch, or of the single message.
 *
 * Partial: the text must be JSON, as `Batch.decode` finds out.
 *
 * @category splicing
 * @since 0.1.0
 */
export const parts = (text: string): ReadonlyArray<string> =>
  members(text).map(({ end, start }) => text.slice(start, end))

interface Span {
  readonly start: number
  readonly end: number
}

interface Member extends Span {
  /** Of the last member named `id`, which is the one that counts. */
  readonly id: Span | undefined
}

const members = (text: string): ReadonlyArray<Member> => {
  const found: Array<Member> = []
  const first = skipBlank(text, 0)
  if (text[first] !== "[") return [memberAt(text, first)]
  let at = skipBlank(text, first + 1)
  while (at < text.length && text[at] !== "]") {
    const member = memberAt(text, at)
    // In what is no JSON there may be nothing to step over.
    if (member.end === at) break
    found.push(member)
    at = skipBlank(text, skipComma(text, skipBlank(text, member.end)))
  }
  return found
}

const memberAt = (text: string, start: number): Member => {
  if (text[start] !== "{") return { start, end: endOfValue(text, start), id: undefined }
  let id: Span | undefined
  let at = skipBlank(text, start + 1)
  while (at < text.length && text[at] !== "}") {
    const endOfKey = afterString(text, at)
    const value = skipBlank(text, afterColon(text, skipBlank(text, endOfKey)))
    const end = endOfValue(text, value)
    if (isId(text.slice(at, endOfKey))) id = { start: value, end }
    at = skipBlank(text, skipComma(text, skipBlank(text, end)))
  }
  return { start, end: at + 1, id }
}

/** A name may be written with escapes. */
const isId = (key: string): boolean => key === "\"id\"" || escapedId.test(key)

const escapedId = /^"(?:i|\\u0069)(?:d|\\u0064)"$/

const endOfValue = (text: string, start: number): number => {
  const char = text[start]
  if (char === "\"") return afterString(text, start)
  if (char !== "{" && char !== "[") return endOfScalar(text, start)
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (char === "\"") at = afterString(text, at) - 1
    else if (char === "{" || char === "[") depth++
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1
  }
  return text.length
}

const afterString = (text: string, start: number): number => {
  const end = endOfString(text, start)
  return end === -1 ? text.length : end + 1
}

const scalar = /[^\s,\]}]*/y

const endOfScalar = (text: string, start: number): number => {
  scalar.lastIndex = start
  scalar.exec(text)
  return scalar.lastIndex
}

const afterColon = (text: string, at: number): number => text[at] === ":" ? at + 1 : at

const skipComma = (text: string, at: number): number => text[at] === "," ? at + 1 : at

const skipBlank = (text: string, from: number): number => {
  let at = from
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at++
  return at
}
