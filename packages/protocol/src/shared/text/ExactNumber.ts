/**
 * Numbers with all their digits.
 *
 * `JSON.parse` rounds numbers to doubles: 9007199254740993 becomes 9007199254740992, and 0.10 becomes 0.1. Here a
 * number is its source text where JavaScript would write it otherwise, and a double where it would not.
 *
 * ```ts run
 * import { ExactNumber } from "@parley/protocol/shared"
 *
 * const text = "{\"amount\":9007199254740993,\"rate\":0.10}"
 *
 * console.log(JSON.stringify(JSON.parse(text))) // => {"amount":9007199254740992,"rate":0.1}
 * console.log(JSON.stringify(ExactNumber.parseUnsafe(text))) // => {"amount":9007199254740993,"rate":0.10}
 * ```
 *
 * @since 0.1.0
 */
import { isEqual } from "../../internal/number/decimal.ts"
import { parse } from "../../internal/number/exact.ts"
import { isRawJson, json } from "../../internal/number/rawJson.ts"
import { mayDiffer } from "../../internal/number/spelling.ts"
import { valueOf } from "../../internal/text.ts"

/**
 * A number by its source text, as `JSON.rawJSON` makes it: `JSON.stringify` writes the text as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExactNumber {
  /** The source text. */
  readonly rawJSON: string
}

/**
 * Whether this runtime has `JSON.rawJSON`, without which no exact number can be made. Node.js has it from version 22
 * on, and so have the browsers of 2025.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isSupported: boolean = json.rawJSON !== undefined

/** Whether a value is a number that is kept by its source text. @category predicates @since 0.1.0 */
export const isExactNumber = (value: unknown): value is ExactNumber =>
  // Raw JSON may be any scalar.
  isRawJson(value) && /^-?[0-9]/.test(value.rawJSON)

/** The text that spells a number. @category accessors @since 0.1.0 */
export const textOf = (value: number | ExactNumber): string => typeof value === "number" ? String(value) : value.rawJSON

/**
 * The double, where it is equal to a number; otherwise the number itself.
 *
 * @category accessors
 * @since 0.1.0
 */
export const roundedIfEqual = (value: number | ExactNumber): number | ExactNumber =>
  typeof value === "number" || !isEqual(Number(value.rawJSON), value.rawJSON) ? value : Number(value.rawJSON)

/**
 * The number that a text spells. Partial: throws where the text is no number of JSON, and where the runtime has no
 * `JSON.rawJSON` and a double does not do.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fromTextUnsafe = (text: string): number | ExactNumber => {
  const value = Number(text)
  return String(value) === text && Number.isFinite(value) ? value : keepUnsafe(text)
}

/**
 * Parses a text that is known to be JSON, and keeps the digits of its numbers. It takes four to seven times
 * as long as `JSON.parse`; a text without a number that has to be kept is searched for one, and parsed.
 *
 * `onKept` runs for each number that is kept, and `onContainer` for each object and array when it has all of its members,
 * where the text may have such a number. Partial: throws what these throw, and a `RangeError` where the text nests too deep
 * for the stack. For a text that is not JSON, the result is unspecified.
 *
 * @category decoding
 * @since 0.1.0
 */
export const parseUnsafe = (
  text: string,
  onKept?: () => void,
  onContainer?: (container: object) => void
): unknown => {
  if (!mayHave(text)) return valueOf(text)
  return parse(text, (source) => {
    onKept?.()
    return keepUnsafe(source)
  }, onContainer)
}

/**
 * Whether a text of JSON may have a number that is kept. The search costs a fraction of the parsing.
 *
 * @category predicates
 * @since 0.1.0
 */
export const mayHave = (text: string): boolean => mayDiffer(text)

const keepUnsafe = (text: string): ExactNumber => {
  if (json.rawJSON === undefined) throw new TypeError(`this runtime has no JSON.rawJSON, by which ${text} is kept`)
  const exact = json.rawJSON(text)
  if (isExactNumber(exact)) return exact
  throw new TypeError(`${text} is no number of JSON`)
}
