/**
 * Numbers of JSON with all their digits: integers as `bigint`, decimals as `BigDecimal`, or their source text.
 *
 * `JSON.parse` rounds numbers to doubles, so that 9007199254740993 becomes 9007199254740992. A method that names one of
 * these Schemas in its params, result, errors or items has its messages read with their digits; other methods cost
 * nothing. Other numbers of such a method are doubles, as ever.
 *
 * A runtime without `JSON.rawJSON` has no such digits: there a contract that asks for them cannot be made.
 *
 * ```ts run
 * import { MethodCodec } from "@parley/contract/shared"
 * import { Digits, Method } from "@parley/contract"
 * import { Effect } from "effect"
 *
 * const total = MethodCodec.make("total", Method.make({ params: { of: Digits.BigInteger }, result: Digits.Text }))
 *
 * const params = Effect.runSync(total.encodeParams({ of: 9007199254740993n }))
 * console.log(JSON.stringify(params)) // => {"of":9007199254740993}
 * ```
 *
 * @since 0.1.0
 */
import { ExactNumber } from "@parley/protocol/shared"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { asked } from "./internal/codec/digits.ts"

/**
 * A Schema whose JSON is a number with all its digits.
 *
 * @category models
 * @since 0.1.0
 */
export interface Digits<T> extends Schema.Codec<T, number | ExactNumber.ExactNumber> {}

/**
 * The most characters of a number that these Schemas read, and of an integer that an exponent stands for: the
 * arithmetic of longer numbers takes more than linear time.
 *
 * @category limits
 * @since 0.1.0
 */
export const longest = 4_096

/**
 * The largest exponent of a number that these Schemas read, of either sign. An exponent stands for digits that the text
 * does not spell: without a bound, six characters would make an integer of four thousand digits, and a megabyte of them
 * would fill the memory. Numbers that are written by JavaScript have exponents from -324 to 308.
 *
 * @category limits
 * @since 0.1.0
 */
export const largestExponent = 512

type Json = number | ExactNumber.ExactNumber

const isNumber = (value: unknown): value is Json =>
  typeof value === "number" ? Number.isFinite(value) : ExactNumber.isExactNumber(value)

/** A number as the wire has it. It is JSON already. */
const jsonNumber = (type: "integer" | "number", expected: string, is: (number: Json) => boolean) =>
  Schema.declare<Json>(isNumber, { expected: "a number", toCodecJson: () => undefined, ...asked }).check(
    Schema.makeFilter((number) => is(number), { expected, toJsonSchema: () => ({ type }) })
  )

const decimalOf = (number: Json): BigDecimal.BigDecimal | undefined => {
  const text = ExactNumber.textOf(number)
  if (text.length > longest || exponentOf(text) > largestExponent) return undefined
  const decimal = Option.getOrUndefined(BigDecimal.fromString(text))
  if (decimal === undefined || text.length + largestExponent <= longest) return decimal
  // Zeros that are spelt and an exponent together may make a number that is too long to be written.
  return decimalText(decimal).length > longest ? undefined : decimal
}

/** The exponent without its sign. */
const exponentOf = (text: string): number => {
  const at = text.search(/[eE]/)
  return at === -1 ? 0 : Math.abs(Number(text.slice(at + 1)))
}

/** Whether it is spelt as an integer, as most integers are: then no arithmetic is needed to know it. */
const isSpelt = (number: Json): boolean => {
  if (typeof number === "number") return Number.isSafeInteger(number)
  return number.rawJSON.length <= longest && /^-?[0-9]+$/.test(number.rawJSON)
}

/** The integer of this value, which `1.0` and `1e3` have, too. */
const integerOf = (number: Json): bigint | undefined => {
  if (isSpelt(number)) return BigInt(typeof number === "number" ? number : number.rawJSON)
  const decimal = decimalOf(number)
  if (decimal === undefined) return undefined
  const { scale, value } = BigDecimal.normalize(decimal)
  if (scale > 0) return undefined
  if (scale === 0) return value
  return String(value).length - scale > longest ? undefined : value * 10n ** BigInt(-scale)
}

const integers = jsonNumber(
  "integer",
  `an integer of at most ${longest} digits, and with an exponent of at most ${largestExponent}`,
  (number) => isSpelt(number) || integerOf(number) !== undefined
)

const integer = (range: Schema.Codec<bigint>): Digits<bigint> =>
  integers.pipe(Schema.decodeTo(range, {
    // It is an integer, by the check.
    decode: SchemaGetter.transform((number) => integerOf(number) ?? 0n),
    encode: SchemaGetter.transform((value) => ExactNumber.fromTextUnsafe(String(value)))
  }))

/** An integer of any size, up to `longest` digits and to `largestExponent`. @category schemas @since 0.1.0 */
export const BigInteger: Digits<bigint> = integer(Schema.BigInt)

/** An integer from -2^63 to 2^63 - 1. @category schemas @since 0.1.0 */
export const Int64: Digits<bigint> = integer(
  Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n }))
)

/** An integer from 0 to 2^64 - 1. @category schemas @since 0.1.0 */
export const UInt64: Digits<bigint> = integer(
  Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 64n - 1n }))
)

/**
 * A decimal of any size and precision, up to `longest` characters and to `largestExponent`. Zeros at its end are
 * digits: 0.10 is written as 0.10.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Decimal: Digits<BigDecimal.BigDecimal> = jsonNumber(
  "number",
  `a number of at most ${longest} characters, and with an exponent from -${largestExponent} to ${largestExponent}`,
  (number) => decimalOf(number) !== undefined
).pipe(Schema.decodeTo(Schema.BigDecimal, {
  // It is a decimal, by the check.
  decode: SchemaGetter.transform((number) => decimalOf(number) ?? BigDecimal.make(0n, 0)),
  encode: SchemaGetter.transform((value) => ExactNumber.fromTextUnsafe(decimalText(value)))
}))

/** The digits of a decimal with its point, or with an exponent where zeros would have to fill a long way to it. */
const decimalText = ({ scale, value }: BigDecimal.BigDecimal): string => {
  const sign = value < 0n ? "-" : ""
  const digits = String(value < 0n ? -value : value)
  if (scale === 0) return sign + digits
  if (scale < 0) return `${sign}${digits}e${-scale}`
  const zeros = scale - digits.length
  // More zeros than an exponent stands for come from a text that spelt them.
  if (zeros > mostZeros && zeros < largestExponent) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ""
    return `${sign}${digits.slice(0, 1)}${fraction}e-${zeros + 1}`
  }
  const padded = digits.padStart(scale + 1, "0")
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

const mostZeros = 16

/**
 * A number by its source text, in the spelling of the wire: `1.50`, `1e400`, `-0`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Text: Digits<string> = jsonNumber(
  "number",
  `a number of at most ${longest} characters`,
  (number) => ExactNumber.textOf(number).length <= longest
).pipe(Schema.decodeTo(
  Schema.String.check(Schema.isPattern(/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/)),
  {
    decode: SchemaGetter.transform(ExactNumber.textOf),
    encode: SchemaGetter.transform(ExactNumber.fromTextUnsafe)
  }
))
