/**
 * One text, one message or many (section 6 of the specification).
 *
 * Each member is decoded to a result of its own, so that one bad member costs one error reply. The dispatcher collects
 * the replies and joins them in the order of the requests.
 *
 * ```ts run
 * import { Batch } from "@parley/protocol"
 * import { Result } from "effect"
 *
 * const batch = Batch.decode(`[{"jsonrpc":"2.0","id":1,"method":"add"},7]`)
 * const members = Batch.isMembers(batch) ? batch : [batch]
 *
 * for (const member of members) {
 *   console.log(Result.isSuccess(member) ? member.success._tag : member.failure.message)
 * }
 * // => Request
 * // => the call with id null is no message: a message must be an object
 * ```
 *
 * @since 0.1.0
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { idSources } from "./internal/source.ts"
import { usual } from "./internal/usual.ts"
import * as Limits from "./Limits.ts"
import * as Message from "./Message.ts"

/**
 * A message, or what is wrong with it.
 *
 * @category models
 * @since 0.1.0
 */
export type Decoded = Result.Result<Message.Message, Message.Malformed>

/**
 * The content of one text: a single message, or the members of a batch.
 *
 * @category models
 * @since 0.1.0
 */
export type Batch = Decoded | NonEmptyReadonlyArray<Decoded>

/**
 * Whether a text held a batch.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isMembers = (batch: Batch): batch is NonEmptyReadonlyArray<Decoded> => Array.isArray(batch)

/**
 * Whether this is an error with id null, which names no request: the answer to a text that could not be read.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isGeneral = (decoded: Decoded): boolean =>
  Result.isSuccess(decoded) && decoded.success._tag === "Failure" && decoded.success.id === null

/**
 * Whether the text was `[]`.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isEmpty = ({ rule }: Message.InvalidRequest): boolean => rule === emptyRule

const emptyRule = "a batch must have a member"

/**
 * The limits and the rules of a dialect that decoding depends on.
 *
 * @category models
 * @since 0.1.0
 */
export interface DecodeOptions extends Message.DecodeOptions {
  /** Members of one batch. */
  readonly batch?: number | undefined
  /** Whether arrays of messages are spoken at all. */
  readonly batches?: "accept" | "read" | "refuse" | undefined
}

/**
 * Reads a text that holds a message or an array of messages. Total, as `Message.decode`.
 *
 * An empty array, an array beyond the limit, and every array in a dialect without batches is one Invalid Request.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (text: string, options?: DecodeOptions): Batch => {
  const message = usual(text, options?.depth, options?.mistakes)
  if (message !== undefined) return Result.succeed(message)
  const json = Message.parseMessages(text, options)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  const value = json.success
  if (!Array.isArray(value)) return Message.fromJson(value, options, idSources(text))
  const wrong = refusal(value.length, options)
  if (wrong !== undefined) return Result.fail(new Message.InvalidRequest({ id: null, rule: wrong }))
  const source = idSources(text)
  const members = value.map((member, index) => Message.fromJson(member, options, (id) => source(id, index)))
  // `refusal` lets no empty array pass.
  return members as unknown as NonEmptyReadonlyArray<Decoded>
}

/**
 * Refuses the messages of this text that have a number beyond the range of a double in `params` or `result`.
 * `JSON.parse` has made such numbers infinite, and `JSON.stringify` would write null for them.
 *
 * @category decoding
 * @since 0.1.0
 */
export const finite = (batch: Batch, text: string): Batch => {
  if (!mayOverflow(text)) return batch
  if (!isMembers(batch)) return refuseInfinite(batch)
  const [first, ...others] = batch
  return [refuseInfinite(first), ...others.map(refuseInfinite)]
}

/**
 * The text of several messages' texts, in their order.
 *
 * @category encoding
 * @since 0.1.0
 */
export const join = (texts: NonEmptyReadonlyArray<string>): string => `[${texts.join(",")}]`

const refusal = (size: number, options: DecodeOptions | undefined): string | undefined => {
  if (options?.batches === "refuse") return "this dialect has no batches"
  if (size === 0) return emptyRule
  const limit = options?.batch ?? Limits.defaults.batch
  return size > limit ? `a batch may have at most ${limit} members` : undefined
}

/** Refuses a message where a number of its payload is infinite. Its id may be any number: it is a source text. */
const refuseInfinite = (decoded: Decoded): Decoded => {
  if (Result.isFailure(decoded)) return decoded
  const message = decoded.success
  const member = payloadOf(message).find(([, json]) => !isFinite(json))
  if (member === undefined) return decoded
  return Result.fail(Message.refused(message, `a number in ${member[0]} is beyond the range of a double`))
}

/** The members that have a payload, by what a rule calls them. */
const payloadOf = (message: Message.Message): ReadonlyArray<readonly [name: string, json: Schema.Json | undefined]> => {
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

const extraOf = ({ extra }: Message.Message) => ["a member of another name", extra] as const

const isFinite = (json: Schema.Json | undefined): boolean => {
  const open: Array<object> = []
  const isGood = (value: Schema.Json | undefined): boolean => {
    if (typeof value === "object" && value !== null) open.push(value)
    return typeof value !== "number" || Number.isFinite(value)
  }
  if (!isGood(json)) return false
  for (let value; (value = open.pop()) !== undefined;) if (!Object.values(value).every(isGood)) return false
  return true
}

/**
 * Whether a text may have a number beyond the range of a double. Such a number has an exponent of three digits or more, or
 * more than two hundred digits. A search for these costs a fiftieth of the parsing, and only the values of a text that has
 * them are looked at.
 */
const mayOverflow = (text: string): boolean =>
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
