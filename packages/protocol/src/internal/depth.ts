/**
 * How deep a JSON text nests, found without parsing it.
 */

const quote = 34, backslash = 92, openArray = 91, closeArray = 93, openObject = 123, closeObject = 125

/** Characters that a level needs at least: texts that are shorter than the limit of them need not be asked for. @internal */
export const perLevel = 2

/**
 * Tells whether a text nests deeper than `limit`.
 *
 * A level needs an opening bracket, so that most long texts are only searched for brackets.
 *
 * @internal
 */
export const isDeeper = (text: string, limit: number): boolean =>
  text.length > perLevel * limit && opensMore(text, limit) && nestsDeeper(text, limit)

const opensMore = (text: string, limit: number): boolean => {
  let found = 0
  for (const bracket of ["[", "{"]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++found > limit) return true
    }
  }
  return false
}

/** Strings are skipped with `indexOf`, because their brackets do not count. */
const nestsDeeper = (text: string, limit: number): boolean => {
  const end = text.length
  let depth = 0
  for (let at = 0; at < end; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) {
      at = endOfString(text, at)
      if (at === -1) return false
    } else if (char === openArray || char === openObject) {
      if (++depth > limit) return true
    } else if (char === closeArray || char === closeObject) {
      depth--
    }
  }
  return false
}

/**
 * The index of the quote that ends the string whose first quote is at `start`, or -1.
 *
 * @internal
 */
export const endOfString = (text: string, start: number): number => {
  for (let at = text.indexOf("\"", start + 1); at !== -1; at = text.indexOf("\"", at + 1)) {
    let slashes = at
    while (text.charCodeAt(slashes - 1) === backslash) slashes--
    if ((at - slashes) % 2 === 0) return at
  }
  return -1
}

/**
 * The index behind that quote, or the end of the text. Keys and many values are so short that a loop finds their end sooner
 * than `indexOf` would.
 *
 * @internal
 */
export const afterString = (text: string, start: number): number => {
  const near = Math.min(text.length, start + 24)
  for (let at = start + 1; at < near; at++) {
    const char = text.charCodeAt(at)
    if (char === quote) return at + 1
    if (char === backslash) at++
  }
  const end = endOfString(text, start)
  return end === -1 ? text.length : end + 1
}
