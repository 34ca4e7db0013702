/**
 * The texts that answer calls.
 */
import type { Dialect } from "@parley/protocol/Dialect"
import * as ErrorObject from "@parley/protocol/ErrorObject"
import * as Message from "@parley/protocol/Message"
import * as RequestId from "@parley/protocol/RequestId"
import * as Excerpt from "@parley/protocol/text/Excerpt"
import * as Cause from "effect/Cause"
import type * as Schema from "effect/Schema"
import { callName, notStarted, RemoteError } from "../../CallerError.ts"
import type { ErrorResponse } from "../../ErrorResponse.ts"
import { byteLength } from "../json/utf8.ts"
import { type Log, unexplained } from "../runtime/Host.ts"

/** What a peer answers to calls that it interrupts, because it shuts down. @internal */
export const shutDownError = ErrorObject.make(-32000, "Shutting down")

/** What a peer answers to calls that it does not start any more. Their callers may make them again elsewhere. @internal */
export const notStartedError = ErrorObject.make(shutDownError.code, shutDownError.message, notStarted)

/** Whether a call that had started has ended because the other side shuts down. The code alone has other meanings. @internal */
export const isShutDown = (error: unknown): boolean =>
  error instanceof RemoteError && error.code === shutDownError.code && error.text === shutDownError.message

const tooLarge = ErrorObject.make(-32001, "Response too large")

/** Whether a text has more bytes than a frame may have. Most texts are too short for that to need counting. @internal */
export const isTooLarge = (text: string, frame: number): boolean =>
  text.length * 3 > frame && (text.length > frame || byteLength(text) > frame)

/**
 * The reply with the result of a handler, or the error that stands in for a result that cannot be written: -32603 where
 * JSON has no text for it, -32001 where its text is larger than a frame.
 *
 * @internal
 */
export const resultText = (
  id: string,
  method: string,
  result: Schema.Json | void,
  frame: number,
  log: Log,
  form: Message.EncodeOptions | undefined
): string | ErrorObject.ErrorObject => {
  let text: string
  try {
    text = Message.successText(id, result ?? null, form)
  } catch (defect) {
    log(`the result of ${callName(method, id)} cannot be written as JSON`, Cause.die(defect))
    return ErrorObject.internalError
  }
  if (!isTooLarge(text, frame)) return text
  log(`the result of ${callName(method, id)} is larger than the limit \`frame\` of ${frame} bytes`, Cause.empty)
  return tooLarge
}

/** The reply to a request whose handler has failed. @internal */
export const failureText = (
  id: string,
  method: string,
  cause: Cause.Cause<ErrorResponse>,
  frame: number,
  log: Log,
  form: Message.EncodeOptions | undefined
): string => {
  try {
    const text = Message.failureText(id, errorOf(id, method, cause, log), form)
    return isTooLarge(text, frame) ? errorText(id, tooLarge, form) : text
  } catch (defect) {
    log(`the error of ${callName(method, id)} cannot be written as JSON`, Cause.die(defect))
    return errorText(id, ErrorObject.internalError, form)
  }
}

const errorOf = (
  id: string,
  method: string,
  cause: Cause.Cause<ErrorResponse>,
  log: Log
): ErrorObject.ErrorObject => {
  const failure = cause.reasons.find(Cause.isFailReason)
  if (failure === undefined) {
    log(`the handler of ${callName(method, id)} failed in a way it did not declare`, cause)
    return ErrorObject.internalError
  }
  const { error } = failure
  if (error.cause !== undefined) {
    log(`the handler of ${callName(method, id)} answered ${refusal(error)}`, Cause.die(error.cause))
  }
  return ErrorObject.make(error.code, error.message, error.data)
}

/** An error object in a line of our log, with its data, which has the paths of params that do not fit. */
const refusal = ({ code, data, message }: ErrorResponse): string => {
  const refused = `${code} ${Excerpt.line(message)}`
  return data === undefined ? refused : `${refused} ${Excerpt.line(JSON.stringify(data))}`
}

/** Tells our log of a notification whose handler has failed: nothing is answered. @internal */
export const logFailure = (method: string, cause: Cause.Cause<ErrorResponse>, log: Log): void => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  if (error === undefined) return log(`the handler of ${callName(method)} failed in a way it did not declare`, cause)
  log(`the handler of ${callName(method)} failed with ${refusal(error)}`, causeOf(error))
}

/** What the log of an error object has beside it. */
const causeOf = ({ cause }: ErrorResponse): Cause.Cause<never> => cause === undefined ? unexplained : Cause.die(cause)

/** An error as a reply. One that cannot be written, such as a code that is no integer, is an internal error. @internal */
export const errorText = (
  id: string,
  error: ErrorObject.ErrorObject,
  form: Message.EncodeOptions | undefined
): string => {
  try {
    return Message.failureText(id, error, form)
  } catch {
    return Message.failureText(id, ErrorObject.internalError, form)
  }
}

/** The reply to an invalid message, or `undefined` where it must not be answered. @internal */
export const malformedText = (
  error: Message.Malformed,
  { dialect, form }: { readonly dialect: Dialect; readonly form: Message.EncodeOptions | undefined }
): string | undefined => {
  if (error._tag === "InvalidResponse") return undefined
  const object = error._tag === "ParseError" ? ErrorObject.parseError() : ErrorObject.invalidRequest()
  const id = error._tag === "InvalidRequest" ? error.id : null
  if (id !== null || dialect.unreadableId === "null") return Message.failureText(RequestId.toText(id), object, form)
  if (dialect.unreadableId === "silent") return undefined
  const version = form?.version === "omit" ? "" : `"jsonrpc":"2.0",`
  return `{${version}"error":${JSON.stringify(object)}}`
}
