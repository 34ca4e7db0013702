/**
 * Whether a text of JSON has a number that JavaScript may write otherwise. Strings are passed over, so that a long one costs
 * next to nothing.
 */
import { afterString } from "../members.ts"

/**
 * A number of at most 15 digits is written as it came, but for a zero at the end of a fraction or many at its beginning, an
 * exponent, and a zero with a sign.
 *
 * @internal
 */
export const mayDiffer = (text: string): boolean => {
  const { length } = text
  for (let at = 0; at < length; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) at = afterString(text, at) - 1
    else if (char === minus || isDigit(char)) {
      const start = char === minus ? at + 1 : at
      let point = 0
      for (at = start;; at++) {
        const next = text.charCodeAt(at)
        if (next === dot) point = 1
        else if (next === letterE || next === capitalE) return true
        else if (!isDigit(next)) break
      }
      const isZero = char === minus && at === start + 1 && text.charCodeAt(start) === zero
      if (isZero || at - start - point > sure) return true
      if (point === 1 && (text.charCodeAt(at - 1) === zero || text.startsWith(small, start))) return true
      at--
    }
  }
  return false
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
