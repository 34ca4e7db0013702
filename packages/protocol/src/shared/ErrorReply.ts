/**
 * How a text or a frame is answered that is no message: the one place that decides it, for all wires and dialects.
 *
 * |                                         | a request                   | a response, a notification | anything else  |
 * | --------------------------------------- | --------------------------- | -------------------------- | -------------- |
 * | larger than `Limits.frame`              | `tooLargeCode`, with its id | no answer                  | `tooLargeCode` |
 * | not UTF-8, another charset, no text     | -32700                      | no answer                  | -32700         |
 * | a text that is not JSON, or is too deep | -32700                      | no answer                  | -32700         |
 * | JSON that is no message                 | -32600, with its id         | no answer                  | -32600         |
 *
 * Where an answer has no id, `unreadableId` of the dialect says how it is written: nothing trusts an id that stands in a
 * text which cannot be read. A frame that is too large may be read, and is only too long to be kept.
 *
 * ```ts run
 * import { ErrorReply } from "@parley/protocol/shared"
 * import { Dialect, Message } from "@parley/protocol"
 * import { Result } from "effect"
 *
 * const replyTo = (text: string) =>
 *   Result.match(Message.decode(text), {
 *     onFailure: (error) => ErrorReply.toMalformed(error, Dialect.jsonRpc),
 *     onSuccess: () => undefined
 *   })
 *
 * console.log(replyTo(`{"jsonrpc":"2.0","id":1,"method":"add","params":[NaN]}`))
 * // => {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}
 * console.log(replyTo(`{"jsonrpc":"2.0","method":"log","params":[NaN]}`)) // => undefined
 * ```
 *
 * @since 0.1.0
 */
import type { Dialect } from "../Dialect.ts"
import type { BadFrame } from "../internal/framing/frame.ts"
import * as Message from "../Message.ts"
import type { Envelope } from "./Envelope.ts"
import * as ErrorObject from "./ErrorObject.ts"
import * as RequestId from "./RequestId.ts"

/**
 * The members of a dialect that say how it is answered.
 *
 * @category models
 * @since 0.1.0
 */
export type Rules = Message.EncodeOptions & Pick<Dialect, "nullId" | "unreadableId" | "tooLargeCode">

/**
 * The answer to a bad frame; `undefined` where there is none.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toBadFrame = (bad: BadFrame, rules: Rules): string | undefined => {
  if (isUnanswered(bad, rules)) return undefined
  return bad.reason === "TooLarge"
    ? withId(bad.id, ErrorObject.make(rules.tooLargeCode, "Request too large"), rules)
    : withId(undefined, ErrorObject.parseError(), rules)
}

/**
 * The answer to a text that is no message; `undefined` where there is none.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toMalformed = (error: Message.Malformed, rules: Rules): string | undefined => {
  switch (error._tag) {
    case "ParseError":
      return isUnanswered(error, rules) ? undefined : withId(undefined, ErrorObject.parseError(), rules)
    case "InvalidRequest":
      return withId(
        error.id === null ? undefined : RequestId.toText(error.id),
        ErrorObject.invalidRequest(),
        rules
      )
    case "InvalidResponse":
      return undefined
  }
}

/** A response and a notification have no answer, and neither has a batch that begins with a response. */
const isUnanswered = (envelope: Envelope, rules: Rules): boolean => {
  const { firstKind, kind } = envelope
  return kind === "response" || kind === "notification" || firstKind === "response" || isUnasked(envelope, rules)
}

/** Whether it is a notification because its id is null. */
const isUnasked = ({ id, kind }: Envelope, { nullId }: Rules): boolean =>
  kind === "request" && id === "null" && nullId === "notification"

/** An error with the source text of an id, or, where there is none, as the dialect has it. */
const withId = (id: string | undefined, error: ErrorObject.ErrorObject, rules: Rules): string | undefined => {
  if (id !== undefined || rules.unreadableId === "null") return Message.failureText(id ?? "null", error, rules)
  if (rules.unreadableId === "silent") return undefined
  const text = Message.failureText("null", error, rules)
  return text.replace(noId, "")
}

/** The id null as `Message.failureText` writes it, before the error. */
const noId = `"id":null,`
