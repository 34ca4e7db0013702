/**
 * JSON-RPC 2.0 messages and their JSON text.
 *
 * One text holds one message; `Batch` reads texts that hold several. `Framing`
 * cuts a byte stream into texts before this module sees them. This module performs
 * no I/O, and reading never throws, so values can test every rule of the envelope.
 *
 * The Schemas are the definition; `decode` and `encode` are written by hand for
 * speed, and a property test holds them equal to the Schemas.
 *
 * ```ts run
 * import { Message } from "@parley/protocol"
 *
 * console.log(Message.encodeUnsafe({ _tag: "Request", id: 1, method: "add", params: [1, 2] }))
 * // => {"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}
 * ```
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isDeeper } from "./internal/depth.ts"
import { callMembers, extraOf, responseMembers, withExtra } from "./internal/extra.ts"
import { type DecodeOptions, isTolerant, isVersioned } from "./internal/form.ts"
import { errorOf, isForeign, outcomeOf } from "./internal/loose.ts"
import {
  emptyRule,
  EncodingError,
  InvalidRequest,
  InvalidResponse,
  isEmpty,
  type Malformed,
  ParseError,
  refused,
  unparsed,
  unread
} from "./internal/malformed.ts"
import { idSources } from "./internal/source.ts"
import {
  type EncodeOptions,
  jsonText,
  notificationText,
  requestText,
  start,
  successText,
  valueOf
} from "./internal/text.ts"
import { usual } from "./internal/usual.ts"
import * as Limits from "./Limits.ts"
import * as Envelope from "./shared/Envelope.ts"
import { ErrorObject } from "./shared/ErrorObject.ts"
import { fromParsed, fromResponse as idOfResponse, RequestId, toText } from "./shared/RequestId.ts"
import { withoutStack } from "./shared/Stackless.ts"
import * as Excerpt from "./shared/text/Excerpt.ts"

/**
 * Arguments by name (object) or by position (array).
 *
 * @category models
 * @since 0.1.0
 */
export const Params = Schema.Union([Schema.JsonObject, Schema.Array(Schema.Json)])

/** @category models @since 0.1.0 */
export type Params = typeof Params.Type

/** Members that the specification does not name. They are kept, and dispatch ignores them. */
const extra = (named: ReadonlySet<string>) =>
  Schema.optionalKey(
    Schema.JsonObject.check(Schema.makeFilter((members) => {
      const keys = Object.keys(members)
      return keys.length > 0 && !keys.some((key) => named.has(key))
    }))
  )

const extraOfCall = extra(callMembers)
const extraOfResponse = extra(responseMembers)

/**
 * A call that expects exactly one response.
 *
 * @category models
 * @since 0.1.0
 */
export const Request = Schema.TaggedStruct("Request", {
  id: RequestId,
  method: Schema.String,
  params: Schema.optionalKey(Params),
  extra: extraOfCall
})

/** @category models @since 0.1.0 */
export type Request = typeof Request.Type

/**
 * A call that must not be answered, not even with an error.
 *
 * @category models
 * @since 0.1.0
 */
export const Notification = Schema.TaggedStruct("Notification", {
  method: Schema.String,
  params: Schema.optionalKey(Params),
  extra: extraOfCall
})

/** @category models @since 0.1.0 */
export type Notification = typeof Notification.Type

/**
 * The response of a request that succeeded.
 *
 * @category models
 * @since 0.1.0
 */
export const Success = Schema.TaggedStruct("Success", {
  id: RequestId,
  result: Schema.Json,
  extra: extraOfResponse
})

/** @category models @since 0.1.0 */
export type Success = typeof Success.Type

/**
 * The response of a request that failed. The id is also null where the sender could not read the id of the request.
 *
 * @category models
 * @since 0.1.0
 */
export const Failure = Schema.TaggedStruct("Failure", {
  id: RequestId,
  error: ErrorObject,
  extra: extraOfResponse
})

/** @category models @since 0.1.0 */
export type Failure = typeof Failure.Type

/**
 * Every message that either side may send.
 *
 * @category models
 * @since 0.1.0
 */
export const Message = Schema.Union([Request, Notification, Success, Failure])

/** @category models @since 0.1.0 */
export type Message = typeof Message.Type

export { EncodingError, InvalidRequest, InvalidResponse, isEmpty, type Malformed, ParseError, refused, unparsed }
export { notificationText, requestText, successText }
export type { DecodeOptions, EncodeOptions }

/**
 * Reads one message from JSON text. Every text gives a message or the rule that it breaks; nothing throws.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decode = (text: string, options?: DecodeOptions): Result.Result<Message, Malformed> => {
  const message = usual(text, options?.depth, options?.mistakes)
  if (message !== undefined) return Result.succeed(message)
  const json = parseMessages(text, options)
  if (Result.isFailure(json)) return Result.fail(json.failure)
  return fromJson(json.success, options, idSources(text))
}

/**
 * Parses any JSON text within the limit of depth.
 *
 * @category decoding
 * @since 0.1.0
 */
export const parse = (text: string, options?: DecodeOptions): Result.Result<unknown, ParseError> =>
  isTooDeep(text, options) ? Result.fail(new ParseError({ rule: depthRule(options) })) : parseJson(text)

/** As `parse`, for the text of messages: the error says whether it is a response or a notification. @internal */
export const parseMessages = (text: string, options?: DecodeOptions): Result.Result<unknown, Malformed> => {
  if (isTooDeep(text, options)) return Result.fail(unparsed(Envelope.ofText(text), depthRule(options), options))
  const json = parseJson(text)
  return Result.isSuccess(json) ? json : Result.fail(unread(Envelope.ofText(text), json.failure.rule, options))
}

const depthOf = (options: DecodeOptions | undefined): number => options?.depth ?? Limits.defaults.depth

const isTooDeep = (text: string, options: DecodeOptions | undefined): boolean => isDeeper(text, depthOf(options))

const depthRule = (options: DecodeOptions | undefined): string =>
  `the text nests deeper than ${depthOf(options)} levels`

const parseJson = (text: string): Result.Result<unknown, ParseError> => {
  try {
    return Result.succeed(withoutStack(() => valueOf(text)))
  } catch (cause) {
    return Result.fail(new ParseError({ rule: Excerpt.line(String(cause)) }))
  }
}

/**
 * Reads one message from a parsed JSON value, which becomes part of the message and should not be used afterwards.
 * `source` gives the text that its `id` was parsed from: for the id of a
 * call, and for the id of a response that is not a safe integer.
 *
 * @category decoding
 * @since 0.1.0
 */
export const fromJson = (
  json: unknown,
  options: DecodeOptions | undefined,
  source: (id: string | number) => string | undefined
): Result.Result<Message, InvalidRequest | InvalidResponse> => {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return invalid(null, objectRule, json, options)
  // A parsed JSON text holds nothing but JSON, so that `params`, `result` and `data` need no walk.
  const members = json as Members
  return members.method === undefined && (members.result !== undefined || members.error !== undefined)
    ? fromResponse(members, members.id === undefined ? undefined : idOfResponse(members.id, source), options)
    : fromCall(members, members.id === undefined ? undefined : fromParsed(members.id, source), options)
}

/**
 * A parsed JSON object. JSON has no `undefined`, so a member is present exactly when it is not `undefined`, which
 * costs a fifth of asking `Object.hasOwn` for each.
 */
interface Members extends Schema.JsonObject {
  readonly jsonrpc?: Schema.Json
  readonly id?: Schema.Json
  readonly method?: Schema.Json
  readonly params?: Schema.Json
  readonly result?: Schema.Json
  readonly error?: Schema.Json
}

const fromCall = (
  members: Members,
  id: RequestId | undefined,
  options: DecodeOptions | undefined
): Result.Result<Message, InvalidRequest> => {
  const { jsonrpc, method, params } = members
  if (jsonrpc !== "2.0" && isVersioned(options)) return invalid(id, versionRule, members, options)
  if (method === undefined) return invalid(id, emptyRule, members, options)
  if (typeof method !== "string") return invalid(id, "`method` must be a string")
  if (id === undefined && members.id !== undefined) return invalid(null, "`id` must be a string, a number or null")
  if (params !== undefined && (typeof params !== "object" || (params === null && options?.nullParams !== "absent"))) {
    return invalid(id, "`params` must be an object or an array")
  }
  if (id === null && options?.nullId === "refuse") return invalid(null, "`id` must be a string or a number")
  const name = id === null && options?.nullId === "notification" ? undefined : id
  const message = call(name, method, params === null ? undefined : params)
  const known = 1 + (jsonrpc === undefined ? 0 : 1) + (id === undefined ? 0 : 1) + (params === undefined ? 0 : 1)
  const extra = extraOf(members, known, callMembers)
  return Result.succeed(extra === undefined ? message : { ...message, extra })
}

/** Four literals: spreading optional members would cost more than the rest of the decoding. */
const call = (id: RequestId | undefined, method: string, params: Params | undefined): Request | Notification =>
  id === undefined
    ? params === undefined ? { _tag: "Notification", method } : { _tag: "Notification", method, params }
    : params === undefined
    ? { _tag: "Request", id, method }
    : { _tag: "Request", id, method, params }

const fromResponse = (
  members: Members,
  id: RequestId | undefined,
  options: DecodeOptions | undefined
): Result.Result<Message, InvalidResponse> => {
  const { error, jsonrpc, result } = members
  if (jsonrpc !== "2.0" && isVersioned(options)) return invalidResponse(id, versionRule)
  const hasBoth = result !== undefined && error !== undefined
  if (id === undefined) return invalidResponse(id, "a response repeats its request's `id`")
  const message = (hasBoth ? undefined : response(id, result, error)) ??
    (isTolerant(options) ? tolerated(id, result, error) : undefined)
  if (message === undefined) return invalidResponse(id, hasBoth ? eitherRule : errorRule)
  const extra = extraOf(members, 2 + (jsonrpc === undefined ? 0 : 1) + (hasBoth ? 1 : 0), responseMembers)
  return Result.succeed(extra === undefined ? message : { ...message, extra })
}

const response = (id: RequestId, result: Schema.Json | undefined, error: Schema.Json | undefined) =>
  // One of the two is there, or this were a call.
  error === undefined ? success(id, result as Schema.Json) : failure(id, errorOf(error))

const tolerated = (id: RequestId, result: Schema.Json | undefined, error: Schema.Json | undefined) => {
  const outcome = outcomeOf(result, error)
  if (outcome === undefined) return undefined
  return "result" in outcome ? success(id, outcome.result) : failure(id, outcome.error)
}

const eitherRule = "a response must have either `result` or `error`"
const errorRule = "`error` must have an integer `code` and a string `message`"
const objectRule = "a message must be an object"
const versionRule = "`jsonrpc` must be \"2.0\""

const success = (id: RequestId, result: Schema.Json): Success => ({ _tag: "Success", id, result })

const failure = (id: RequestId, error: ErrorObject | undefined): Failure | undefined =>
  error === undefined ? undefined : { _tag: "Failure", id, error }

const invalid = (
  id: RequestId | undefined,
  rule: string,
  json?: unknown,
  options?: DecodeOptions
): Result.Result<never, InvalidRequest> =>
  options?.foreign === "keep" && isForeign(json)
    ? Result.fail(new InvalidRequest({ id: id ?? null, rule, foreign: json }))
    : Result.fail(new InvalidRequest({ id: id ?? null, rule }))

const invalidResponse = (id: RequestId | undefined, rule: string): Result.Result<never, InvalidResponse> =>
  Result.fail(new InvalidResponse({ id: id ?? null, rule }))

/**
 * Writes a message as JSON text, by the rules of a dialect where one is given.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encode = (message: Message, options?: EncodeOptions): Result.Result<string, EncodingError> =>
  Result.try({
    try: () => encodeUnsafe(message, options),
    catch: (cause) => new EncodingError({ cause })
  })

/**
 * Writes a message as JSON text. Partial: throws what `JSON.stringify` throws, and a `TypeError` for what has no text.
 *
 * @category encoding
 * @since 0.1.0
 */
export const encodeUnsafe = (message: Message, options?: EncodeOptions): string => {
  switch (message._tag) {
    case "Request":
      return requestText(toText(message.id), message.method, message.params, message.extra, options)
    case "Notification":
      return notificationText(message.method, message.params, message.extra, options)
    case "Success":
      return withExtra(successText(toText(message.id), message.result, options), message.extra, responseMembers)
    case "Failure":
      return withExtra(failureText(toText(message.id), message.error, options), message.extra, responseMembers)
  }
}

/**
 * Whether these options write messages as without any. Then leave them out: it is faster.
 *
 * @category predicates
 * @since 0.1.0
 */
export const isUsual = ({ notificationId, params, responses, version }: EncodeOptions): boolean =>
  version !== "omit" && responses !== "both" && notificationId !== "null" && (params ?? "optional") === "optional"

/**
 * The text of a failed response whose id is already text. Partial, as `encodeUnsafe`.
 *
 * @category encoding
 * @since 0.1.0
 */
export const failureText = (id: string, error: ErrorObject, options: EncodeOptions = {}): string =>
  `${start(options)}"id":${id},${options.responses === "both" ? `"result":null,` : ""}"error":${errorText(error)}}`

/** The text of an error object: of its three members, whatever else it has. */
const errorText = ({ code, data, message }: ErrorObject): string => {
  if (!Number.isSafeInteger(code)) throw new TypeError(`the error code ${code} is not a safe integer`)
  const members = `{"code":${code},"message":${jsonText(message)}`
  return data === undefined ? `${members}}` : `${members},"data":${jsonText(data)}}`
}
