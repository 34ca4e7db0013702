/**
 * Secrets behind their names, in text that is no JSON: `name=value` of a query, a form or settings, and `Name: value` of a
 * header, a dictionary or YAML. The name and the value may stand in quotes, and the quotes may be escaped.
 *
 * A value ends within its line, so a text is read once.
 */
import { isSecret, type Own } from "./names.ts"
import { mark, type Span } from "./Span.ts"

/** A name, and where what may be its value begins. */
export interface Assignment {
  readonly start: number
  readonly from: number
  readonly name: string
  /** Whether a quote closes the name. */
  readonly isQuoted: boolean
}

/** Where the secret stands, and where the text goes on behind it and its quote. */
export interface Secret {
  readonly start: number
  readonly end: number
  readonly next: number
}

/**
 * The name with its separator, or the line before the body of a private key. A blank before `=` is that of settings, unless the
 * sign is one of a comparison or an arrow.
 * A name is short, because a text without separators would be read again and again otherwise.
 */
// linear: a name has at most 64 characters, and its quote and blanks have a bound, too
const named =
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----|(?<![\w.%-])([\w.%-]{1,64})(\\{0,7}["'])?(?:(=+)|[ \t]{1,16}=(?![=>~])|[ \t]{0,16}:(?!\/\/))[ \t]{0,16}/g

/** A quote that opens a value. */
const opening = /\\{0,7}["'`]/y

/** A value without quotes behind `=`, and the same where a line of settings is nothing else. */
const bare = /[^\s&;,"'<>{}()[\]\\]+/y
const bareLine = /[^\s&"'<>\\]+/y

/** Names that are words of prose, too, so that a colon behind them says little. */
export const prose = /^(?:token|secrets?|passw(?:or)?ds?|passphrases?|credentials?|cookies?|pwd|jwts?|assertion)$/i

/** A header that only browsers and servers write with a colon. */
const cookies = /^(?:set-)?cookie$/i

/** The first name with a separator from here on. */
export const next = (text: string, from: number): Assignment | undefined => {
  named.lastIndex = from
  const match = named.exec(text)
  if (match === null) return undefined
  const { 0: { length }, 1: name = "", 2: quote, index } = match
  return { start: index, from: index + length, name, isQuoted: quote !== undefined }
}

/** The value, if the name is that of a secret. It is read where the assignment is reached: a string of JSON may hide it. */
export const secretOf = (text: string, assignment: Assignment, own: Own): Secret | undefined => {
  const { from, name } = assignment
  if (name === "") return { start: from, end: bodyEnd(text, from), next: bodyEnd(text, from) }
  const value = isSecret(name, own) ? valueOf(text, assignment) : undefined
  if (value === undefined) return undefined
  const key = text.slice(value.start, value.end).search(beginsKey)
  // A quote that closes the value ends the key in it, too.
  if (key < 0 || value.next > value.end) return value
  // The body of a private key has lines.
  const end = Math.max(value.end, bodyEnd(text, value.start + key))
  return { start: value.start, end, next: Math.max(value.next, end) }
}

const beginsKey = /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----/

/** Where the body of a private key ends. */
export const endsBody = /-----END|"|$/g

const bodyEnd = (text: string, from: number): number => {
  endsBody.lastIndex = from
  return endsBody.exec(text)?.index ?? text.length
}

const valueOf = (text: string, { from, isQuoted, name, start }: Assignment): Secret | undefined => {
  opening.lastIndex = from
  if (opening.test(text)) return quoted(text, opening.lastIndex, text.slice(from, opening.lastIndex))
  // A text that was redacted has the same assignments.
  const replaced = text.startsWith(mark, from) ? { start: from, end: from, next: from + mark.length } : undefined
  if (text.slice(start, from).includes("=")) {
    if (replaced !== undefined) return replaced
    const value = start === 0 || text.charCodeAt(start - 1) === lineFeed ? bareLine : bare
    value.lastIndex = from
    return value.test(text) ? { start: from, end: value.lastIndex, next: value.lastIndex } : undefined
  }
  if (!isQuoted && prose.test(name) && !cookies.test(name)) return undefined
  const before = text.charAt(start - 1)
  const isEnclosed = !isQuoted && (before === `"` || before === "'" || before === "`")
  if (isEnclosed) return quoted(text, from, quoteBefore(text, start))
  return replaced ?? line(text, from)
}

/** The quote right before a place, with the backslashes that escape it. */
const quoteBefore = (text: string, place: number): string => {
  let from = place - 1
  while (from > 0 && place - from <= 7 && text.charCodeAt(from - 1) === backslash) from--
  return text.slice(from, place)
}

/** A value up to the quote that closes it, or the end of the line. Quotes within it have more backslashes. */
const quoted = (text: string, start: number, quote: string): Secret => {
  // The lines of a key are replaced with their ends, so what follows the mark need not be the value any more.
  const behind = start + mark.length
  if (text.startsWith(mark, start) && !text.startsWith(quote, behind)) return { start, end: start, next: behind }
  const closing = quote.charCodeAt(quote.length - 1)
  const escaped = quote.length - 1
  let run = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) {
      run++
      continue
    }
    // Each level of escapes doubles the backslashes of the one within, and adds one.
    if (code === closing && run % (2 * quote.length) === escaped) return { start, end: at - escaped, next: at + 1 }
    if (code === lineFeed || code === carriageReturn) return { start, end: at, next: at }
    run = 0
  }
  return { start, end: text.length, next: text.length }
}

/** A value up to the end of the line, or the bracket that closes what stands around it. */
const line = (text: string, start: number): Secret | undefined => {
  if (start >= text.length || beginsOther.test(text.charAt(start))) return undefined
  let depth = 0
  let at = start
  for (; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === "\n" || character === "\r") break
    if (character === "{" || character === "[") depth++
    else if ((character === "}" || character === "]") && depth-- === 0) break
  }
  return { start, end: at, next: at }
}

/** Behind a name and a colon, this begins no value. */
const beginsOther = /[\s{}[\]]/

const backslash = 0x5c
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The secrets of a text in which nothing is JSON. */
export const find = (text: string, offset: number, found: Array<Span>, own: Own): void => {
  let at = 0
  while (true) {
    const assignment = next(text, at)
    if (assignment === undefined) return
    const secret = secretOf(text, assignment, own)
    if (secret !== undefined) add(text, secret, offset, found)
    at = secret?.next ?? assignment.from
  }
}

/** Adds a secret that is not replaced yet. */
export const add = (text: string, { end, start }: Secret, offset: number, found: Array<Span>): void => {
  if (end > start && text.slice(start, end) !== mark) found.push({ start: offset + start, end: offset + end, by: mark })
}
