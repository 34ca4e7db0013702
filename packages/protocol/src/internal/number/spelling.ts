/**
 * Whether a text of JSON has a number that JavaScript may write otherwise. Strings are passed over, so that a long one costs
 * next to nothing.
 */
import { afterString } from "../depth.ts"

/** @internal */
export const mayDiffer = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) at = afterString(text, at) - 1
    else if (char === minus || isDigit(char)) {
      const end = afterNumber(text, at)
      if (end === undefined) return true
      at = end - 1
    }
  }
  return false
}

/**
 * Where the number that starts at a place ends; `undefined` where JavaScript may write it otherwise.
 *
 * A number of at most 15 digits is written as it came, but for a zero at the end of a fraction or many at its beginning, an
 * exponent, and a zero with a sign.
 *
 * @internal
 */
export const afterNumber = (text: string, from: number): number | undefined => {
  const start = text.charCodeAt(from) === minus ? from + 1 : from
  let at = start
  let point = 0
  for (;; at++) {
    const next = text.charCodeAt(at)
    if (next === dot) point = 1
    else if (next === letterE || next === capitalE) return undefined
    else if (!isDigit(next)) break
  }
  const isZero = start > from && at === start + 1 && text.charCodeAt(start) === zero
  if (isZero || at - start - point > sure) return undefined
  return point === 1 && (text.charCodeAt(at - 1) === zero || text.startsWith(small, start)) ? undefined : at
}

/** Digits that a double keeps. */
const sure = 15

/** JavaScript writes smaller numbers with an exponent. */
const small = "0.000000"

const isDigit = (char: number): boolean => char >= zero && char <= 57

const quote = 34
const minus = 45
const dot = 46
const zero = 48
const capitalE = 69
const letterE = 101
