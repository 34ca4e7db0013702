/**
 * Numbers beyond the range of a double, which `JSON.parse` makes infinite and `JSON.stringify` null.
 *
 * Such a number has an exponent of three digits or more, or more than two hundred digits. A search for these costs a
 * fiftieth of the parsing, and only the values of a text that has them are looked at.
 */
import * as Result from "effect/Result"
import type { Json } from "effect/Schema"
import type { Message } from "../../Message.ts"
import { type Malformed, refused } from "../malformed.ts"

type Decoded = Result.Result<Message, Malformed>

/**
 * Refuses a decoded message where a number of its payload is infinite. Its id may be any number: it is a source text.
 *
 * @internal
 */
export const refuseInfinite = (decoded: Decoded): Decoded => {
  if (Result.isFailure(decoded)) return decoded
  const message = decoded.success
  const member = payloadOf(message).find(([, json]) => !isFinite(json))
  if (member === undefined) return decoded
  return Result.fail(refused(message, `a number in ${member[0]} is beyond the range of a double`))
}

/** The members that have a payload, by what a rule calls them. */
const payloadOf = (message: Message): ReadonlyArray<readonly [name: string, json: Json | undefined]> => {
  switch (message._tag) {
    case "Request":
    case "Notification":
      return [["`params`", message.params], extraOf(message)]
    case "Success":
      return [["`result`", message.result], extraOf(message)]
    case "Failure":
      // An error is reported even if a number in its data is out of range.
      return []
  }
}

const extraOf = ({ extra }: Message) => ["a member of another name", extra] as const

const isFinite = (json: Json | undefined): boolean => {
  const open: Array<object> = []
  const isGood = (value: Json | undefined): boolean => {
    if (typeof value === "object" && value !== null) open.push(value)
    return typeof value !== "number" || Number.isFinite(value)
  }
  if (!isGood(json)) return false
  for (let value; (value = open.pop()) !== undefined;) if (!Object.values(value).every(isGood)) return false
  return true
}

/**
 * Whether a text may have a number beyond the range of a double.
 *
 * @internal
 */
export const mayOverflow = (text: string): boolean =>
  (text.length <= short ? likeExponent.test(text) : mayHaveExponents(text)) && longExponent.test(text) ||
  text.length > digits && hasDigits(text)

const longExponent = /\d[eE]\+?\d\d\d/

/** The beginning of each such exponent. A letter of either case and a fixed length are found a third faster. */
const likeExponent = /e[+\d]\d\d/i

/** Characters that are searched with the pattern at once. */
const short = 1_024

/**
 * Finds the letters of exponents with `indexOf`, which passes over an array of numbers fifty times as fast as the pattern
 * does. Where there are many such letters, as in names and in strings, the pattern is faster.
 */
const mayHaveExponents = (text: string): boolean => {
  for (const letter of letters) {
    let left = 16
    for (let at = text.indexOf(letter); at !== -1; at = text.indexOf(letter, at + 1)) {
      if (isDigit(text, at - 1) || left-- === 0) return true
    }
  }
  return false
}

const letters = ["e", "E"]

/** With an exponent of two digits, a number overflows from 210 digits on; without one, from 309. */
const digits = 209

/** Whether so many digits follow each other. They cover one of these places, around which they are counted. */
const hasDigits = (text: string): boolean => {
  for (let at = digits - 1; at < text.length; at += digits) {
    if (!isDigit(text, at)) continue
    let start = at
    let end = at + 1
    while (isDigit(text, start - 1)) start--
    while (end - start < digits && isDigit(text, end)) end++
    if (end - start >= digits) return true
  }
  return false
}

const isDigit = (text: string, at: number): boolean => {
  const char = text.charCodeAt(at)
  return char >= 48 && char <= 57
}
