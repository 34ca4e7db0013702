/**
 * Where the members of a text and their ids stand, found without parsing it.
 *
 * The text must be JSON. In any other text the places are meaningless, but they are found in bounded time.
 */
import { afterString } from "./depth.ts"

/** A part of a text: from `start`, up to and without `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A member of a batch, or the single message of a text. @internal */
export interface Member extends Span {
  /** The value of its last member named `id`, which is the one that counts. */
  readonly id: Span | undefined
}

/** The members of a batch, or the single message. @internal */
export const membersOf = (text: string): ReadonlyArray<Member> => {
  const found: Array<Member> = []
  const first = skipBlank(text, 0)
  if (text[first] !== "[") return [memberAt(text, first)]
  let at = skipBlank(text, first + 1)
  while (at < text.length && text[at] !== "]") {
    const member = memberAt(text, at)
    // A text that is not JSON may have nothing to step over here.
    if (member.end === at) break
    found.push(member)
    at = skipBlank(text, skipComma(text, skipBlank(text, member.end)))
  }
  return found
}

/** The member at `start`. */
const memberAt = (text: string, start: number): Member => {
  if (text.charCodeAt(start) !== openObject) return { start, end: endOfValue(text, start), id: undefined }
  let id: Span | undefined
  const end = eachEntry(text, start, (key, value) => {
    if (isId(text, key.start, key.end)) id = value
  })
  return { start, end, id }
}

/** The names of the object of a text, or of each object that is a member of its array, as they are written. @internal */
export const namesOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  membersOf(text).map(({ start }) => {
    const names: Array<string> = []
    if (text.charCodeAt(start) === openObject) {
      eachEntry(text, start, (key) => names.push(text.slice(key.start, key.end)))
    }
    return names
  })

/** Visits the names and values of the object at `start`, and returns where it ends. */
const eachEntry = (text: string, start: number, visit: (key: Span, value: Span) => void): number => {
  let at = skipBlank(text, start + 1)
  while (at < text.length && text.charCodeAt(at) !== closeObject) {
    const endOfKey = afterString(text, at)
    const value = skipBlank(text, afterColon(text, skipBlank(text, endOfKey)))
    const end = endOfValue(text, value)
    visit({ start: at, end: endOfKey }, { start: value, end })
    at = skipBlank(text, skipComma(text, skipBlank(text, end)))
  }
  return at + 1
}

const idKey = "\"id\""

/** Whether the key between these places is `id`, which may be written with escapes. */
const isId = (text: string, start: number, end: number): boolean =>
  end - start === idKey.length
    ? text.startsWith(idKey, start)
    : end - start <= longestIdKey && escapedId.test(text.slice(start, end))

const escapedId = /^"(?:i|\\u0069)(?:d|\\u0064)"$/

const longestIdKey = "\"\\u0069\\u0064\"".length

const endOfValue = (text: string, start: number): number => {
  const char = text.charCodeAt(start)
  if (char === quote) return afterString(text, start)
  if (char !== openObject && char !== openArray) return endOfScalar(text, start)
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) at = afterString(text, at) - 1
    else if (char === openObject || char === openArray) depth++
    else if ((char === closeObject || char === closeArray) && --depth === 0) return at + 1
  }
  return text.length
}

/** @internal */
export const endOfScalar = (text: string, start: number): number => {
  let at = start
  while (at < text.length && !isEnd(text.charCodeAt(at))) at++
  return at
}

const isEnd = (char: number): boolean => char === comma || char === closeObject || char === closeArray || isBlank(char)

/** @internal */
export const afterColon = (text: string, at: number): number => text.charCodeAt(at) === colonCode ? at + 1 : at

/** @internal */
export const skipComma = (text: string, at: number): number => text.charCodeAt(at) === comma ? at + 1 : at

const isBlank = (char: number): boolean => char === 32 || char === 10 || char === 13 || char === 9

/** @internal */
export const skipBlank = (text: string, from: number): number => {
  let at = from
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

const quote = 34
const comma = 44
const colonCode = 58
const openArray = 91
const closeArray = 93
const openObject = 123
const closeObject = 125
