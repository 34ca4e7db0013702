/**
 * The source texts of ids, without a second parse.
 *
 * Nearly every id is spelled as JavaScript writes its value. A look at the end and at the start of the text finds that
 * out, or a search for every `"id":` in it. Only a text with another spelling is read for the places of its members.
 */
import { type Member, membersOf } from "./members.ts"

/**
 * Gives the source text of the id of the message, or of the member at `index` of a batch, which was parsed to `value`.
 *
 * A message that names `id` twice, with equal values in different spellings, may give either spelling.
 *
 * @internal
 */
export const idSources = (text: string): (value: string | number, index?: number) => string | undefined => {
  let isPlain: boolean | undefined
  let members: ReadonlyArray<Member> | undefined
  return (value, index) => {
    if (index === undefined) {
      if (typeof value === "string") {
        if (isString(text, value)) return `"${value}"`
      } else if (Number.isSafeInteger(value) && (isPlainAtEnd(text) || isPlainAtStart(text, value))) {
        return String(value)
      }
    }
    isPlain ??= arePlain(text)
    if (isPlain) return typeof value === "number" ? String(value) : `"${value}"`
    members ??= membersOf(text)
    const id = members[index ?? 0]?.id
    return id === undefined ? undefined : text.slice(id.start, id.end)
  }
}

/**
 * Whether the text ends with `,"id":` and digits. JSON has no zeros before a number, so digits without a sign, a point
 * and an exponent are what JavaScript writes for a safe integer.
 */
const isPlainAtEnd = (text: string): boolean => {
  const end = text.length - 1
  let at = end
  while (isDigit(text.charCodeAt(at - 1))) at--
  return at < end && text.charCodeAt(end) === closeObject && text.startsWith(lastKey, at - lastKey.length)
}

const lastKey = `,"id":`

/**
 * Whether each value of a member `id`, at any depth, is spelled as JavaScript writes it. A key with escapes has `\u00`
 * in it, and the quotes of a key within a string have backslashes.
 */
const arePlain = (text: string): boolean => {
  if (text.includes(escape)) return false
  for (let at = text.indexOf(endOfKey); at !== -1; at = text.indexOf(endOfKey, at + endOfKey.length)) {
    if (text.charCodeAt(at - 1) === quote && !isPlainAfter(text, at + endOfKey.length)) return false
  }
  return true
}

/** Whether a text in the usual order has these digits for an id. */
const isPlainAtStart = (text: string, value: number): boolean => {
  if (!text.startsWith(start)) return false
  let number = 0
  let at = start.length
  for (let char; isDigit(char = text.charCodeAt(at)); at++) number = number * 10 + char - 48
  return number === value && text.charCodeAt(at) === comma
}

/** Whether a text in the usual order has this string for an id, or ends with it. A string with escapes is longer. */
const isString = (text: string, value: string): boolean => {
  const last = text.length - value.length - 3
  return text.endsWith("\"}") && text.startsWith(lastKey, last - lastKey.length) && isStringAt(text, last, value) ||
    text.startsWith(start) && isStringAt(text, start.length, value)
}

const isStringAt = (text: string, at: number, value: string): boolean =>
  text.charCodeAt(at) === quote && text.startsWith(value, at + 1) && text.charCodeAt(at + 1 + value.length) === quote

const start = `{"jsonrpc":"2.0","id":`

/** How a letter of a key that is `id` can be escaped. */
const escape = "\\u00"

/** Searched without the first quote, because quotes are frequent. */
const endOfKey = `id"`

const isPlainAfter = (text: string, from: number): boolean => {
  plain.lastIndex = from
  return plain.test(text)
}

/** No colon, or one before a string without escapes, an integer of at most 15 digits, or a value that is not an id. */
const plain = /[ \t\r\n]*(?:[^: \t\r\n]|:[ \t\r\n]*(?:"[^"\\]*"|(?:0|-?[1-9][0-9]{0,14})(?![0-9.eE])|[^"0-9 \t\r\n-]))/y

const isDigit = (char: number): boolean => char >= 48 && char <= 57

const quote = 34
const comma = 44
const closeObject = 125
