/**
 * Generated messages, batches, ids and texts, good and bad.
 *
 * Each generator prefers what breaks implementations: member names of `Object.prototype`, lone surrogates, numbers
 * beyond 2^53, texts that are one edit away from a valid one.
 *
 * ```ts run
 * import { Generators } from "@parley/conformance/shared"
 * import { Laws } from "@parley/conformance"
 * import { Message } from "@parley/protocol"
 * import { Effect, Result } from "effect"
 *
 * const law = Laws.forAll("every message has a text", Generators.message, (message) =>
 *   Result.isSuccess(Message.encode(message)) ? undefined : "it has none", { runs: 20 })
 *
 * await Effect.runPromise(law.check)
 * console.log(law.name) // => every message has a text
 * ```
 *
 * @since 0.1.0
 */
import type * as Message from "@parley/protocol/Message"
import { type ErrorObject, RequestId } from "@parley/protocol/shared"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

type Generator<A> = Arbitrary.Arbitrary<A>

/**
 * One of several generators, each as likely as the others. Shrinks towards the first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const oneOf = <A>(first: Generator<A>, ...others: ReadonlyArray<Generator<A>>): Generator<A> => {
  const all = [first, ...others]
  return Arbitrary.flatMap(below(all.length), (index) => all[index] ?? first)
}

/**
 * One of several values. Shrinks towards the first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const elements = <const A>(first: A, ...others: ReadonlyArray<A>): Generator<A> => {
  const all = [first, ...others]
  return Arbitrary.map(below(all.length), (index) => all[index] ?? first)
}

/**
 * A whole number from 0 up to, but not including, `end`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const below = (end: number): Generator<number> =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Math.max(0, end - 1) })))

/**
 * Lists of up to `most` items, which histories are made of. `Arbitrary.array` gives no more than the `size` of a run,
 * which is ten at most unless a check says otherwise, whatever its `maxLength`: too few for most of what comes apart
 * step by step. A list is several of those behind each other, and it shrinks by whole ones first.
 *
 * @category constructors
 * @since 0.1.0
 */
export const sequence = <A>(item: Generator<A>, most: number): Generator<ReadonlyArray<A>> =>
  Arbitrary.map(Arbitrary.array(Arbitrary.array(item)), (parts) => parts.flat().slice(0, most))

/**
 * Strings, among them those with escapes, surrogate halves, line separators and names that objects inherit.
 *
 * @category texts
 * @since 0.1.0
 */
export const string: Generator<string> = oneOf(
  Arbitrary.schema(Schema.String),
  elements(
    "",
    "0",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "toJSON",
    "rawJSON",
    "id",
    "\0",
    "\"\\\b\f\n\r\t\u007f",
    "\ud800",
    "\udc00\ud800",
    "😀é",
    "\u2028\u2029\ufeff",
    "[{[{",
    "}]\\\""
  )
)

/**
 * Names of members. None has a backslash, because V8 (13.6, in Node 24) may take a key with an escape for an earlier
 * key with a backslash: after `{"a":1,"\\":2}` it may read `{"a":1,"\n":2}` as having the same.
 *
 * @category texts
 * @since 0.1.0
 */
export const key: Generator<string> = Arbitrary.filter(string, (name) => !name.includes("\\"))

const number: Generator<number> = oneOf(
  Arbitrary.schema(Schema.Finite),
  elements(0, 1, -1, 0.5, 1e21, 5e-324, Number.MAX_SAFE_INTEGER, 2 ** 53, -(2 ** 53), Number.MAX_VALUE)
)

/** JSON of at most `depth` levels. */
const jsonOf = (depth: number): Generator<Schema.Json> => {
  const scalar = oneOf<Schema.Json>(elements<Schema.Json>(null, true, false), number, string)
  if (depth === 0) return scalar
  const value = jsonOf(depth - 1)
  return oneOf<Schema.Json>(scalar, Arbitrary.array(value, { maxLength: 4 }), objectOf(value))
}

/** `fromEntries` defines `__proto__`, where an assignment would not. */
const objectOf = (value: Generator<Schema.Json>): Generator<Schema.JsonObject> =>
  Arbitrary.map(Arbitrary.array(Arbitrary.all([key, value]), { maxLength: 4 }), Object.fromEntries)

/**
 * Any JSON value, of a few levels.
 *
 * @category values
 * @since 0.1.0
 */
export const json: Generator<Schema.Json> = jsonOf(3)

/**
 * Arguments by name or by position.
 *
 * @category values
 * @since 0.1.0
 */
export const params: Generator<Message.Params> = oneOf<Message.Params>(
  objectOf(jsonOf(2)),
  Arbitrary.array(jsonOf(2), { maxLength: 4 })
)

/**
 * The text of a number that no JavaScript number repeats digit for digit, and that is no safe integer.
 *
 * @category ids
 * @since 0.1.0
 */
export const exactNumberText: Generator<string> = oneOf(
  elements(
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "1e400",
    "-1E+400",
    "1.50",
    "0.10",
    "1e21",
    "3.141592653589793238462643383279",
    "1234567890123456789012345678901234567890"
  ),
  Arbitrary.schema(Schema.String.check(Schema.isPattern(/^-?[1-9][0-9]{21,40}$/)))
)

/**
 * The text of an id of which JavaScript knows the value, but would spell it otherwise.
 *
 * @category ids
 * @since 0.1.0
 */
export const respelledText: Generator<string> = elements(
  "1.0",
  "-0",
  "0e0",
  "1e2",
  "1E+2",
  "10e-1",
  "1.000000000000000000000000000001",
  "\"\\u0061\"",
  "\"\\/\"",
  "\"\\u000a\"",
  "\"\\ud83d\\ude00\""
)

/**
 * The JSON text of an id that a codec must give back as it came: every string, null, the numbers that JavaScript
 * writes as they are, those that it cannot hold, and spellings that are not its own.
 *
 * @category ids
 * @since 0.1.0
 */
export const idText: Generator<string> = oneOf(
  Arbitrary.map(number, (value) => JSON.stringify(value)),
  Arbitrary.map(string, (value) => JSON.stringify(value)),
  elements("null", "0", "\"\"", "\"1\"", "1.5", "9007199254740992"),
  exactNumberText,
  respelledText
)

/**
 * Ids of every kind. Where the runtime has no `JSON.rawJSON`, those without a JavaScript number are left out.
 *
 * @category ids
 * @since 0.1.0
 */
export const requestId: Generator<RequestId.RequestId> = oneOf<RequestId.RequestId>(
  number,
  string,
  Arbitrary.Constant(null),
  Arbitrary.filterMap(exactNumberText, (text) => Result.fromNullishOr(exact(text), () => text))
)

/**
 * Ids of requests: also in spellings that are not JavaScript's own.
 *
 * @category ids
 * @since 0.1.0
 */
export const spelledId: Generator<RequestId.RequestId> = oneOf<RequestId.RequestId>(
  requestId,
  Arbitrary.filterMap(respelledText, (text) => Result.fromNullishOr(exact(text), () => text))
)

function exact(text: string): RequestId.RequestId | undefined {
  return RequestId.fromParsed(JSON.parse(text), () => text)
}

/** An optional member, as an object to spread: empty in half of the cases. */
const optional = <K extends string, A>(key: K, value: Generator<A>): Generator<{ readonly [_ in K]?: A }> =>
  oneOf<{ readonly [_ in K]?: A }>(
    Arbitrary.Constant({}),
    // A computed key widens to `string`.
    Arbitrary.map(value, (member) => ({ [key]: member }) as { readonly [_ in K]: A })
  )

/** Members beyond the named ones, of which there is at least one, or none. */
const extra = (...named: ReadonlyArray<string>) =>
  optional(
    "extra",
    Arbitrary.filter(objectOf(jsonOf(1)), (members) => {
      const keys = Object.keys(members)
      return keys.length > 0 && !keys.some((key) => named.includes(key))
    })
  )

const extraOfCall = extra("jsonrpc", "id", "method", "params")
const extraOfResponse = extra("jsonrpc", "id", "method", "result", "error")

/** Requests, with ids of every kind and spelling. @category messages @since 0.1.0 */
export const request: Generator<Message.Request> = Arbitrary.map(
  Arbitrary.all([spelledId, string, optional("params", params), extraOfCall]),
  ([id, method, args, rest]) => ({ _tag: "Request", id, method, ...args, ...rest })
)

/** Notifications, with and without params. @category messages @since 0.1.0 */
export const notification: Generator<Message.Notification> = Arbitrary.map(
  Arbitrary.all([string, optional("params", params), extraOfCall]),
  ([method, args, rest]) => ({ _tag: "Notification", method, ...args, ...rest })
)

/** Responses of requests that succeeded. @category messages @since 0.1.0 */
export const success: Generator<Message.Success> = Arbitrary.map(
  Arbitrary.all([requestId, json, extraOfResponse]),
  ([id, result, rest]) => ({ _tag: "Success", id, result, ...rest })
)

/** Error objects, with and without data. @category values @since 0.1.0 */
export const errorObject: Generator<ErrorObject.ErrorObject> = Arbitrary.map(
  Arbitrary.all([Arbitrary.schema(Schema.Int), string, optional("data", json)]),
  ([code, message, data]) => ({ code, message, ...data })
)

/** Responses of requests that failed. @category messages @since 0.1.0 */
export const failure: Generator<Message.Failure> = Arbitrary.map(
  Arbitrary.all([requestId, errorObject, extraOfResponse]),
  ([id, error, rest]) => ({ _tag: "Failure", id, error, ...rest })
)

/**
 * Messages of every kind.
 *
 * @category messages
 * @since 0.1.0
 */
export const message: Generator<Message.Message> = oneOf<Message.Message>(request, notification, success, failure)
