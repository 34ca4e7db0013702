/**
 * The text that the result of a response came in, kept beside its values for whoever passes it on.
 *
 * A proxy parses a result to check it. What it sends on is the text of the members that are objects or arrays, as long as
 * they are the same values: digits, escapes and the order of members stay as they were, and nothing is written again.
 * Parsing takes the last of two members of one name, and another reader may take the first, so that a result with such
 * members is refused.
 *
 * ```ts run
 * import { Message } from "@parley/protocol"
 * import { SourceText } from "@parley/protocol/shared"
 *
 * const text = `{"jsonrpc":"2.0","id":1,"result":{"rows":[{"id":9007199254740993,"rate":0.10}]}}`
 * const { result } = JSON.parse(text)
 *
 * console.log(SourceText.keep(SourceText.scan(text), result)) // => undefined
 * console.log(Message.successText("7", { ...result, page: 2 }))
 * // => {"jsonrpc":"2.0","id":7,"result":{"rows":[{"id":9007199254740993,"rate":0.10}],"page":2}}
 *
 * const twice = `{"jsonrpc":"2.0","id":1,"result":{"rows":[{"id":1,"\\u0069d":2}]}}`
 * console.log(SourceText.keep(SourceText.scan(twice), JSON.parse(twice).result))
 * // => the name "id" stands twice in one object
 * ```
 *
 * @since 0.1.0
 */
import { afterString, endOfString } from "../../internal/depth.ts"
import type { Span } from "../../internal/members.ts"
import { isRawJson } from "../../internal/number/rawJson.ts"
import { afterNumber } from "../../internal/number/spelling.ts"
import { keepSource } from "../../internal/text.ts"
import * as Excerpt from "./Excerpt.ts"

/**
 * The places of the text of a response, found without parsing it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Scan {
  /** The text of the response. */
  readonly text: string
  /** Whether it may have a number that JavaScript would write otherwise, as `ExactNumber.mayHave` says. */
  readonly mayDiffer: boolean
  /** How deep the text nests. */
  readonly depth: number
  /** The places of the names of the response itself. */
  readonly envelope: ReadonlyArray<Span>
  /** How many names the result has, at all depths. */
  readonly names: number
  /** The members of the result that are objects or arrays. */
  readonly members: ReadonlyArray<ScannedMember>
}

/** A member of the result that is an object or an array. @category models @since 0.1.0 */
export interface ScannedMember {
  /** The place of its name. */
  readonly name: Span
  /** The place of its value. */
  readonly value: Span
}

/**
 * Looks at the text of a response once. Partial: the text must be JSON; in any other, the places are meaningless.
 *
 * @category decoding
 * @since 0.1.0
 */
export const scan = (text: string): Scan => {
  const envelope: Array<Span> = []
  const members: Array<ScannedMember> = []
  let mayDiffer = false
  let names = 0
  let depth = 0
  let deepest = 0
  let isResult = false
  /** The last string, which is the name before a colon. */
  let start = 0
  let end = 0
  /** The name of the member of the result, and where its value starts. */
  let name: Span | undefined
  let from = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote: {
        start = at
        // Here this is quicker than `afterString`, also for short strings.
        const close = endOfString(text, at)
        end = close === -1 ? text.length : close + 1
        at = end - 1
        break
      }
      case colon:
        if (depth === 1) {
          envelope.push({ start, end })
          isResult = text.startsWith(resultName, start)
        } else if (isResult) {
          names++
          if (depth === 2) name = { start, end }
        }
        break
      case openArray:
      case openObject:
        if (++depth === 3) from = at
        if (depth > deepest) deepest = depth
        break
      case closeArray:
      case closeObject:
        if (--depth === 2 && isResult && name !== undefined) {
          members.push({ name, value: { start: from, end: at + 1 } })
          name = undefined
        }
        break
      case minus:
      case zero:
      case zero + 1:
      case zero + 2:
      case zero + 3:
      case zero + 4:
      case zero + 5:
      case zero + 6:
      case zero + 7:
      case zero + 8:
      case zero + 9: {
        const after: number | undefined = mayDiffer ? at + 1 : afterNumber(text, at)
        mayDiffer ||= after === undefined
        at = (after ?? at + 1) - 1
      }
    }
  }
  return { text, mayDiffer, depth: deepest, envelope, names, members }
}

/**
 * Keeps the texts of the members of a result that are objects or arrays, as long as these live. They must not be changed
 * afterwards. Gives the rule that the response breaks where a name stands twice in an object of it; then nothing is kept.
 *
 * `result` is the value of that text.
 *
 * @category decoding
 * @since 0.1.0
 */
export const keep = ({ envelope, members, names, text }: Scan, result: unknown): string | undefined => {
  const own = new Set(envelope.map(({ end, start }) => nameOf(text, start, end)))
  // Of two members of one name, the value has one.
  const isPlain = own.size === envelope.length && names === namesIn(result)
  const twice = isPlain ? undefined : duplicateIn(text)
  if (twice !== undefined) return `the name ${Excerpt.quoted(twice)} stands twice in one object`
  // What is written again has an escape where a surrogate is alone. The bytes of this text would have another character.
  if (typeof result !== "object" || result === null || !text.isWellFormed()) return undefined
  for (const { name, value } of members) {
    const member: unknown = Reflect.get(result, nameOf(text, name.start, name.end))
    if (typeof member === "object" && member !== null) keepSource(member, inOneLine(text.slice(value.start, value.end)))
  }
  return undefined
}

/** Between values, a line may end. The text goes on in a frame that may be a line. */
const inOneLine = (text: string): string =>
  text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n]+/g, " ") : text

/** How many names a value of JSON has, at all depths. A number that is kept by its text has none. It nests no deeper than its text was allowed to. */
const namesIn = (json: unknown): number => {
  if (typeof json !== "object" || json === null) return 0
  const open: Array<object> = [json]
  let count = 0
  for (let value; (value = open.pop()) !== undefined;) {
    if (Array.isArray(value)) {
      for (const element of value) if (typeof element === "object" && element !== null) open.push(element)
      continue
    }
    if (isRawJson(value)) continue
    const names = Object.keys(value)
    count += names.length
    for (const name of names) {
      const member: unknown = Reflect.get(value, name)
      if (typeof member === "object" && member !== null) open.push(member)
    }
  }
  return count
}

/** The first name that stands twice in an object of a text. */
const duplicateIn = (text: string): string | undefined => {
  const open: Array<Set<string>> = []
  let start = 0
  let end = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        start = at
        end = afterString(text, at)
        at = end - 1
        break
      case colon: {
        const name = nameOf(text, start, end)
        const names = open.at(-1)
        if (names?.has(name) === true) return name
        names?.add(name)
        break
      }
      case openArray:
      case openObject:
        open.push(new Set())
        break
      case closeArray:
      case closeObject:
        open.pop()
    }
  }
  return undefined
}

const nameOf = (text: string, start: number, end: number): string => {
  const source = text.slice(start, end)
  return source.includes("\\") ? JSON.parse(source) : source.slice(1, -1)
}

const resultName = `"result"`

const quote = 34
const minus = 45
const zero = 48
const colon = 58
const openArray = 91
const closeArray = 93
const openObject = 123
const closeObject = 125
