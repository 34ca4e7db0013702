/**
 * What names a request, so that its response can be told from the others.
 *
 * A string, a number or null (section 4). A number that no JavaScript number
 * repeats digit for digit is kept as its source text: `9007199254740993`,
 * `1e400`, `0.10`. Such an id costs a second look at the text, others nothing.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/**
 * A number by its source text, as `JSON.rawJSON` makes it: `JSON.stringify` writes the text as it is.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExactNumber {
  readonly rawJSON: string
}

/** `JSON.rawJSON` of ECMAScript 2026, which the library types of TypeScript do not have yet. */
const json: JSON & {
  readonly rawJSON?: (text: string) => ExactNumber
  readonly isRawJSON?: (value: unknown) => boolean
} = JSON

const isRawJSON = (value: unknown): value is ExactNumber => json.isRawJSON?.(value) === true

/** Raw JSON may be any scalar. An exact number is a number that no JavaScript number stands for. */
const isExactNumber = (value: unknown): value is ExactNumber =>
  isRawJSON(value) && /^-?[0-9]/.test(value.rawJSON) && !isRepeated(Number(value.rawJSON), value.rawJSON)

/**
 * Tells whether a number is written as the text that it was read from. Safe integers are taken to be without a look
 * at their text, which is what keeps ids cheap: `1.0` comes back as `1`.
 */
const isRepeated = (value: number, text: string): boolean => Number.isSafeInteger(value) || String(value) === text

/**
 * The Schema of an exact number: raw JSON of a number that no JavaScript number stands for.
 *
 * @category models
 * @since 0.1.0
 */
export const ExactNumber: Schema.declare<ExactNumber> = Schema.declare(isExactNumber, {
  identifier: "ExactNumber",
  toCodecArbitrary: () =>
    Schema.link<ExactNumber>()(
      // 22 digits and more: JavaScript writes those with an exponent.
      Schema.String.check(Schema.isPattern(/^-?[1-9][0-9]{21,40}$/)),
      SchemaTransformation.transform({ decode: exactUnsafe, encode: (id) => id.rawJSON })
    )
})

/**
 * A string, a finite number, null, or a number by its digits. Null is discouraged by the specification, which a
 * `Dialect` decides on.
 *
 * @category models
 * @since 0.1.0
 */
export const RequestId = Schema.Union([Schema.String, Schema.Finite, Schema.Null, ExactNumber])

/** @category models @since 0.1.0 */
export type RequestId = typeof RequestId.Type

/**
 * The JSON text of an id: two ids are the same exactly when their texts are. Partial: throws for NaN and the
 * infinities, which the type cannot keep out.
 *
 * @category encoding
 * @since 0.1.0
 */
export const toText = (id: RequestId): string => {
  if (typeof id !== "number") return JSON.stringify(id)
  if (!Number.isFinite(id)) throw new TypeError(`${id} is no id`)
  return String(id)
}

/**
 * The id that a parsed value is, or `undefined` when it is none.
 *
 * `source` gives the text the value was parsed from; it is asked only for a number that is no safe integer. Where
 * the runtime cannot give it, such a number is no id, because it might come back as another.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromParsed = (value: unknown, source: () => string | undefined): RequestId | undefined => {
  if (typeof value === "string" || value === null) return value
  if (typeof value !== "number") return undefined
  if (Number.isSafeInteger(value)) return value
  const text = source()
  if (text === undefined) return undefined
  return isRepeated(value, text) ? value : json.rawJSON?.(text)
}

/** Partial: throws where the text is no JSON number or the runtime has no `JSON.rawJSON`. */
function exactUnsafe(text: string): ExactNumber {
  if (json.rawJSON === undefined) throw new TypeError("this runtime has no JSON.rawJSON")
  return json.rawJSON(text)
}
