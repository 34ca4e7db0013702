/**
 * What is wrong with a text, as tagged errors.
 *
 * The other side decides how many of them are made, and nobody throws them. So they are made without a stack.
 */
import * as Schema from "effect/Schema"
import type { Envelope } from "../shared/Envelope.ts"
import { fromResponse as idOfResponse, RequestId, toText } from "../shared/RequestId.ts"
import { stackless } from "../shared/Stackless.ts"
import * as Excerpt from "../shared/text/Excerpt.ts"
import type { DecodeOptions } from "./form.ts"

/**
 * The text is not JSON, or nests deeper than `Limits.depth`. It is answered with -32700 and id null, unless its envelope
 * says that it is a response or a notification: neither is answered, and a response fails the call with its `id`.
 *
 * `rule` says what is wrong, for our logs. It is not sent, because it may quote what the peer sent. `kind`, `firstKind`
 * (for a batch) and `id` are those of the envelope, where that is the one of a response or notification.
 *
 * @category errors
 * @since 0.1.0
 */
export class ParseError extends stackless(
  Schema.TaggedError<ParseError>()("ParseError", {
    rule: Schema.String,
    kind: Schema.optionalKey(Schema.Literals(["response", "notification"])),
    firstKind: Schema.optionalKey(Schema.Literal("response")),
    id: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    return `the text cannot be read as JSON: ${Excerpt.line(this.rule)}`
  }
}

/**
 * The text is JSON but not a message. It is answered with -32600 and its id, or null where the id cannot be read.
 *
 * `foreign` is the JSON itself, where it resembles no message at all and `DecodeOptions` say that it is to be kept.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRequest extends stackless(
  Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
    id: RequestId,
    rule: Schema.String,
    foreign: Schema.optionalKey(Schema.Json)
  })
) {
  override get message(): string {
    return `the call with id ${Excerpt.line(toText(this.id))} is no message: ${this.rule}`
  }
}

/** What `InvalidRequest` says of an object that is not even the beginning of a message. @internal */
export const emptyRule = "a message must have a `method`, a `result` or an `error`"

/** Whether none of `method`, `result` and `error` was there. @category predicates @since 0.1.0 */
export const isEmpty = (error: InvalidRequest): boolean => error.rule === emptyRule

/**
 * The text has `result` or `error` and no `method`, but is not a response, or nests deeper than `Limits.depth`.
 *
 * It must not be answered: both sides number their calls from 1, so an error with this id would end another call of
 * the sender. A notification whose values cannot be kept is not answered either: it has the id null and its `method`.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidResponse extends stackless(
  Schema.TaggedError<InvalidResponse>()("InvalidResponse", {
    id: RequestId,
    rule: Schema.String,
    method: Schema.optionalKey(Schema.String)
  })
) {
  override get message(): string {
    const { id, method, rule } = this
    const name = method === undefined
      ? `response with id ${Excerpt.line(toText(id))}`
      : `notification ${Excerpt.line(method)}`
    return `the ${name} is invalid: ${rule}`
  }
}

/**
 * A message holds what JSON text cannot: a cycle, a bigint, a function, or thousands of levels.
 *
 * @category errors
 * @since 0.1.0
 */
export class EncodingError extends Schema.TaggedError<EncodingError>()("EncodingError", { cause: Schema.Defect() }) {
  override get message(): string {
    return `the message has no JSON text: ${Excerpt.line(String(this.cause))}`
  }
}

/** The reasons why a text is no message. @category errors @since 0.1.0 */
export type Malformed = ParseError | InvalidRequest | InvalidResponse

/** The members of a message that its refusal needs. */
type Refusable =
  | { readonly _tag: "Request" | "Success" | "Failure"; readonly id: RequestId }
  | { readonly _tag: "Notification"; readonly method: string }

/**
 * A message that was read and is refused by this rule. Only a request is answered.
 *
 * @category constructors
 * @since 0.1.0
 */
export const refused = (message: Refusable, rule: string): InvalidRequest | InvalidResponse => {
  switch (message._tag) {
    case "Request":
      return new InvalidRequest({ id: message.id, rule })
    case "Notification":
      return new InvalidResponse({ id: null, rule, method: message.method })
    case "Success":
    case "Failure":
      return new InvalidResponse({ id: message.id, rule })
  }
}

/**
 * What is wrong with a text that breaks a rule and so is not parsed, by its envelope. A response is told from the rest,
 * because it is never answered and fails its call.
 *
 * @category decoding
 * @since 0.1.0
 */
export const unparsed = (
  envelope: Envelope,
  rule: string,
  options?: Pick<DecodeOptions, "nullId">
): ParseError | InvalidResponse => {
  const { id, kind } = envelope
  if (kind !== "response") return unread(envelope, rule, options)
  // The envelope has only an id whose source text is JSON.
  const named = id === undefined ? undefined : idOfResponse(JSON.parse(id), () => id)
  return new InvalidResponse({ id: named ?? null, rule })
}

/** The error for a text that is no JSON, with the part of its envelope that decides how it is answered. @internal */
export const unread = (
  { firstKind, id, kind }: Envelope,
  rule: string,
  options?: Pick<DecodeOptions, "nullId">
): ParseError => {
  if (kind === "response") return new ParseError({ rule, kind, ...(id !== undefined && { id }) })
  const isUnasked = kind === "request" && id === "null" && options?.nullId === "notification"
  if (kind === "notification" || isUnasked) return new ParseError({ rule, kind: "notification" })
  return firstKind === "response" ? new ParseError({ rule, firstKind }) : new ParseError({ rule })
}
