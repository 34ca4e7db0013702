/**
 * Messages whose members stand in a usual order: `jsonrpc`, then `method` and `params` or `result`, with the `id` before
 * or behind these.
 *
 * Nearly every text is such a message, without blanks between its members. Then only the value of `params` or `result`
 * is parsed: the rest is compared, and the id is spelled as JavaScript writes it. That costs a third less than parsing
 * the whole text and reading its members. Any other text is left to the parser.
 */
import type * as Schema from "effect/Schema"
import * as Limits from "../Limits.ts"
import { isDeeper, perLevel } from "./depth.ts"
import type { DecodeOptions } from "./form.ts"
import { valueOf } from "./text.ts"

type Params = Schema.JsonObject | ReadonlyArray<Schema.Json>

type Call =
  | { readonly _tag: "Request"; readonly id: number; readonly method: string; readonly params?: Params }
  | { readonly _tag: "Notification"; readonly method: string; readonly params?: Params }

type Memory = NonNullable<DecodeOptions["mistakes"]>

/** @internal */
export type Usual = Call | { readonly _tag: "Success"; readonly id: number; readonly result: Schema.Json }

/**
 * Reads a message in a usual order. Gives `undefined` for any other text, and for one that is not JSON or nests too deep.
 *
 * @internal
 */
export const usual = (text: string, depth = Limits.defaults.depth, memory = ofAll): Usual | undefined => {
  if (memory.skipped > 0) return void memory.skipped--
  const end = text.length - 1
  const isIdFirst = text.startsWith(idFirst)
  if (!(isIdFirst || text.startsWith(version)) || text.charCodeAt(end) !== closeObject) return undefined
  if (text.length > perLevel * depth && isDeeper(text, depth)) return undefined
  try {
    return isIdFirst ? withIdFirst(text, end, memory) : withIdLast(text, end, memory)
  } catch {
    // It is not JSON, or it has another member behind the one that was taken for the last.
    memory.skipped = afterMistake
    return undefined
  }
}

/** A mistake costs ten times what is saved, and is often made again: so many texts are then left to the parser. */
const afterMistake = 64

/** Of those who read without a memory of their own. */
const ofAll: Memory = { skipped: 0 }

const version = `{"jsonrpc":"2.0"`
const idKey = `,"id":`
const idFirst = version + idKey
const resultKey = `,"result":`
const methodKey = `,"method":`
const paramsKey = `,"params":`

const quote = 34, zero = 48, nine = 57, backslash = 92, closeArray = 93, letterR = 114, closeObject = 125

/** As many digits are always those of a safe integer. */
const mostDigits = 15

const isDigit = (char: number): boolean => char >= zero && char <= nine

const withIdFirst = (text: string, end: number, memory: Memory) => {
  const start = idFirst.length
  let id = 0
  let at = start
  for (let char; isDigit(char = text.charCodeAt(at)); at++) id = id * 10 + char - zero
  return isPlain(text, start, at) ? rest(text, id, at, end, memory) : undefined
}

/** Digits before the last brace are the value of the last member, and no part of a value before. */
const withIdLast = (text: string, end: number, memory: Memory) => {
  let start = end
  while (isDigit(text.charCodeAt(start - 1))) start--
  if (start === end) return rest(text, undefined, version.length, end, memory)
  return isPlain(text, start, end) && text.startsWith(idKey, start - idKey.length)
    ? rest(text, Number(text.slice(start, end)), version.length, start - idKey.length, memory)
    : undefined
}

/** Whether digits are what JavaScript writes for their number. JSON has no zeros before a number. */
const isPlain = (text: string, start: number, end: number): boolean =>
  end > start && end - start <= mostDigits && (end - start === 1 || text.charCodeAt(start) !== zero)

/** The members between these places: `result`, or `method` with or without `params`. */
const rest = (text: string, id: number | undefined, start: number, end: number, memory: Memory): Usual | undefined => {
  // A letter tells `result` from `method` at a third of the cost of comparing either.
  if (text.charCodeAt(start + 2) === letterR) {
    if (id === undefined || !text.startsWith(resultKey, start)) return undefined
    // A JSON text has a value of JSON.
    return { _tag: "Success", id, result: valueOf(text.slice(start + resultKey.length, end)) as Schema.Json }
  }
  const { last } = memory
  if (last !== undefined && text.startsWith(last.head, start)) {
    return call(last.method, id, text, start + last.head.length, end)
  }
  if (!text.startsWith(methodKey, start)) return undefined
  const open = start + methodKey.length
  const close = text.indexOf("\"", open + 1)
  // That quote may be an escaped one.
  if (text.charCodeAt(open) !== quote || text.charCodeAt(close - 1) === backslash) return undefined
  const method: unknown = JSON.parse(text.slice(open, close + 1))
  if (typeof method !== "string" || method.length !== close - open - 1) return undefined
  if (close + 1 === end) return id === undefined ? { _tag: "Notification", method } : { _tag: "Request", id, method }
  if (!text.startsWith(paramsKey, close + 1)) return undefined
  if (method.length <= longestMethod) memory.last = { method, head: `${methodKey}"${method}"${paramsKey}` }
  return call(method, id, text, close + 1 + paramsKey.length, end)
}

const call = (method: string, id: number | undefined, text: string, start: number, end: number): Call | undefined => {
  if (!isClosing(text.charCodeAt(end - 1))) return undefined
  // A text with such an end is an object or an array.
  const params = valueOf(text.slice(start, end)) as Params
  return id === undefined ? { _tag: "Notification", method, params } : { _tag: "Request", id, method, params }
}

/** Whether an object or an array may end here, as `params` are one. */
const isClosing = (char: number): boolean => char === closeObject || char === closeArray

/** Characters of a method that is remembered. */
const longestMethod = 256
