/**
 * Numbers of JSON by their value, however they are spelled.
 */

/** Characters of a number that is compared by its value: arithmetic on the exponent takes more than linear time. @internal */
export const longestDecimal = 256

/** A decimal number in one spelling: its digits without zeros at the ends, and its exponent. @internal */
export const decimalOf = (text: string): string => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = decimal.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, "")
  let end = digits.length
  while (digits[end - 1] === "0") end--
  const shift = digits.length - end - fraction.length
  return end === 0 ? "0" : `${sign}${digits.slice(0, end)}e${BigInt(exponent) + BigInt(shift)}`
}

const decimal = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** Whether a number is what its source text says, and no rounding of it. @internal */
export const isEqual = (value: number, text: string): boolean =>
  text.length <= longestDecimal && decimalOf(String(value)) === decimalOf(text)
