/**
 * The id of a request, by which its response is told from the others.
 *
 * An id is a string, a number or null (section 4). The id of a request is answered in the spelling that it came in.
 * Where JavaScript writes the parsed value in that spelling, the id is the value itself; else it is the source text:
 * `9007199254740993`, `1e400`, `0.10`, `1.0`, `-0`, `"\u0061"`.
 *
 * Responses are matched by value: a response with the id `1.0` answers request 1. So do notifications that name a
 * request. `keyOf` gives equal keys to ids of equal value.
 *
 * ```ts run
 * import { RequestId } from "@parley/protocol/shared"
 *
 * const exact = RequestId.fromParsed(1, () => "1.0") ?? null
 *
 * console.log(RequestId.toText(exact)) // => 1.0
 * console.log(RequestId.keyOf(exact) === RequestId.keyOf(1)) // => true
 * console.log(RequestId.keyOf("1") === RequestId.keyOf(1)) // => false
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { decimalOf, isEqual, longestDecimal } from "../internal/number/decimal.ts"
import { isRawJson, json } from "../internal/number/rawJson.ts"
import { toText } from "../internal/text.ts"

/**
 * A number or a string by its source text, as `JSON.rawJSON` makes it: `JSON.stringify` writes the text as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExactId {
  /** The source text. */
  readonly rawJSON: string
}

/** Raw JSON may be any scalar. */
const isExactId = (value: unknown): value is ExactId => {
  if (!isRawJson(value)) return false
  const parsed: unknown = JSON.parse(value.rawJSON)
  return (typeof parsed === "number" || typeof parsed === "string") && !isRepeated(parsed, value.rawJSON)
}

/** Whether JavaScript writes a value in the spelling that it was parsed from. */
const isRepeated = (value: string | number, text: string): boolean => {
  if (typeof value === "number") return String(value) === text
  // An escape sequence is longer than what it stands for, so equal lengths mean that there is none.
  return value.length + 2 === text.length && value.isWellFormed() || JSON.stringify(value) === text
}

/**
 * The Schema of an exact id: raw JSON of a number or a string in a spelling that JavaScript would not give it.
 *
 * @category models
 * @since 0.1.0
 */
export const ExactId: Schema.declare<ExactId> = Schema.declare(isExactId, {
  identifier: "ExactId",
  toCodecArbitrary: () =>
    Schema.link<ExactId>()(
      // 22 digits and more: JavaScript writes those with an exponent.
      Schema.String.check(Schema.isPattern(/^-?[1-9][0-9]{21,40}$/)),
      SchemaTransformation.transform({ decode: exactUnsafe, encode: (id) => id.rawJSON })
    )
})

/**
 * A string, a finite number, null, or a number or string by its source text. The specification discourages null; a
 * `Dialect` decides what it means.
 *
 * @category models
 * @since 0.1.0
 */
export const RequestId = Schema.Union([Schema.String, Schema.Finite, Schema.Null, ExactId])

/** @category models @since 0.1.0 */
export type RequestId = typeof RequestId.Type

export { toText }

/**
 * The key of an id: equal for ids of equal value, however they are spelled (`1`, `1.0` and `1e0`; `"a"` and
 * `"\u0061"`), and different for all others, also for numbers that differ beyond the precision of a double.
 *
 * The spelling of a number beyond 256 characters is its own key. Partial, as `toText`.
 *
 * @category accessors
 * @since 0.1.0
 */
export const keyOf = (id: RequestId): string => {
  if (typeof id !== "object" || id === null) return toText(id)
  const text = id.rawJSON
  if (text.startsWith("\"")) return JSON.stringify(JSON.parse(text))
  // Arithmetic on the exponent takes more than linear time.
  if (text.length > longestDecimal) return text
  const written = String(Number(text))
  const key = decimalOf(text)
  return decimalOf(written) === key ? written : key
}

/**
 * The id that a parsed value is, in the spelling of its source, or `undefined` where the value is no id.
 *
 * `source` gives the text that the value was parsed from, and is asked for strings and numbers. Where it is unknown, or
 * the runtime has no `JSON.rawJSON`, the value itself is the id if it is equal to what was sent, and there is none
 * if it is not.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromParsed = (
  value: unknown,
  source: (value: string | number) => string | undefined
): RequestId | undefined => {
  if (value === null) return null
  if (typeof value !== "string" && typeof value !== "number") return undefined
  const text = source(value)
  if (text === undefined) return typeof value === "string" || Number.isSafeInteger(value) ? value : undefined
  if (isRepeated(value, text)) return value
  if (json.rawJSON !== undefined) return json.rawJSON(text)
  return typeof value === "string" || isEqual(value, text) ? value : undefined
}

/**
 * The id of a response, which is matched by value: as `fromParsed`, but strings and safe integers are their values,
 * in every spelling, and `source` is not asked for them.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromResponse = (
  value: unknown,
  source: (value: string | number) => string | undefined
): RequestId | undefined => typeof value === "string" || isSafeInteger(value) ? value : fromParsed(value, source)

const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value)

/** Partial: throws where the text is no JSON scalar or the runtime has no `JSON.rawJSON`. */
function exactUnsafe(text: string): ExactId {
  if (json.rawJSON === undefined) throw new TypeError("this runtime has no JSON.rawJSON")
  return json.rawJSON(text)
}
