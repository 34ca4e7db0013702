/**
 * Strings of JSON as they are written: where they end, what is in them, and what their escapes stand for.
 */

/** What a string has, which says how it has to be read: escapes, brackets, and the signs of an assignment. */
export const escaped = 1
export const bracketed = 2
export const assigning = 4

/** The traits by the characters of ASCII. */
const traitOf = new Uint8Array(128)
traitOf[0x5c] = escaped
for (const bracket of "{}[]") traitOf[bracket.charCodeAt(0)] = bracketed
for (const sign of "=:") traitOf[sign.charCodeAt(0)] = assigning

/** A quote, the quote that closes it or the end of the text, what follows that behind blanks, and the traits between. */
export interface Quoted {
  readonly opening: number
  readonly closing: number
  readonly after: number
  readonly traits: number
}

const quote = 0x22
const backslash = 0x5c

/** The string that a quote would open. */
export const quotedAt = (text: string, opening: number): Quoted => {
  let traits = 0
  let closing = opening + 1
  for (; closing < text.length; closing++) {
    const code = text.charCodeAt(closing)
    if (code === quote) break
    if (code < 128) traits |= traitOf[code] ?? 0
    if (code === backslash) closing++
  }
  closing = Math.min(closing, text.length)
  return { opening, closing, after: afterBlanks(text, closing + 1), traits }
}

const blank = /\s/

/** The first place from here on that has no blank. */
export const afterBlanks = (text: string, from: number): number => {
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code > 0x20 && code < 0x80) break
    if (code !== 0x20 && !blank.test(text.charAt(at))) break
    at++
  }
  return at
}

/** The characters of ASCII that end a word: blanks, quotes, and the signs of JSON. */
const endsWord = new Uint8Array(128)
for (let code = 0; code < 128; code++) endsWord[code] = /[\s"{}[\],:]/.test(String.fromCharCode(code)) ? 1 : 0

/** Where a number, a literal or any other word ends that begins here. */
export const wordEnd = (text: string, from: number): number => {
  let at = from
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 128 ? endsWord[code] === 1 : blank.test(text.charAt(at))) break
  }
  return at
}

/** The escapes of one letter, by their codes. */
const escapes: ReadonlyMap<number, number> = new Map(
  ["b\b", "f\f", "n\n", "r\r", "t\t"].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)])
)

/** Units that are made into a text at once: arguments of a call, of which the stack has room for some thousands. */
const most = 4_096

/** Part of a string with its escapes resolved. */
export const decoded = (text: string, start: number, end: number): string => {
  const parts: Array<string> = []
  let units: Array<number> = []
  let at = start
  while (at < end) {
    if (units.length === most) {
      parts.push(String.fromCharCode(...units))
      units = []
    }
    const code = text.charCodeAt(at)
    const size = code === backslash ? escapeAt(text, at, end) : 1
    if (size === 1) units.push(code)
    else if (size === 2) {
      const letter = text.charCodeAt(at + 1)
      units.push(escapes.get(letter) ?? letter)
    } else units.push(parseInt(text.slice(at + 2, at + 6), 16))
    at += size
  }
  parts.push(String.fromCharCode(...units))
  return parts.join("")
}

/** The places in a string of the units of its decoded text, which are asked for in their order. */
export const placesIn = (text: string, start: number, end: number): (unit: number) => number => {
  let at = start
  let units = 0
  return (unit) => {
    for (; units < unit && at < end; units++) at += text.charCodeAt(at) === backslash ? escapeAt(text, at, end) : 1
    return at
  }
}

/** The characters of the escape that a backslash begins. */
const escapeAt = (text: string, at: number, end: number): 1 | 2 | 6 => {
  if (at + 1 >= end) return 1
  if (text.charCodeAt(at + 1) !== letterU || at + 6 > end) return 2
  for (let digit = at + 2; digit < at + 6; digit++) if (!isHex(text.charCodeAt(digit))) return 2
  return 6
}

const letterU = 0x75

const isHex = (code: number): boolean => {
  const lower = code | 0x20
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x66)
}
