/**
 * The texts that answer calls.
 */
import type * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import { ErrorObject, Excerpt, JsonObject, Utf8 } from "@parley/protocol/shared"
import { describeCause } from "@parley/transport/Transport"
import * as Cause from "effect/Cause"
import type * as Schema from "effect/Schema"
import { type ErrorResponse, isShuttingDown } from "../../ErrorResponse.ts"
import { callName } from "../CallerError.ts"
import type { Core } from "../conversation/Core.ts"
import { type Log, unexplained } from "../runtime/Host.ts"
import type { ErrorReply } from "./IncomingCall.ts"

const tooLarge = ({ tooLargeCode }: Dialect.Dialect): ErrorObject.ErrorObject =>
  ErrorObject.make(tooLargeCode, "Response too large")

/** Whether a text has more bytes than a frame may have. Most texts are too short for that to need counting. @internal */
export const isTooLarge = (text: string, frame: number): boolean =>
  text.length * 3 > frame && (text.length > frame || Utf8.byteLength(text) > frame)

/**
 * The reply with the result of a handler, or the error that stands in for a result that cannot be written: -32603 where
 * JSON has no text for it, `tooLargeCode` of the dialect where its text is larger than a frame.
 *
 * @internal
 */
export const resultText = (
  id: string,
  call: Named,
  result: Schema.Json | void,
  { dialect, form, host: { log }, limits: { frame } }: Core
): string | ErrorObject.ErrorObject => {
  let text: string
  try {
    text = Message.successText(id, result ?? null, form)
  } catch (defect) {
    log(`the result of ${nameOf(call, dialect, id)} cannot be written as JSON`, Cause.die(defect))
    return ErrorObject.internalError
  }
  if (!isTooLarge(text, frame)) return text
  const bytes = Utf8.byteLength(text)
  log(
    `the result of ${nameOf(call, dialect, id)} has ${bytes} bytes, more than the limit \`frame\` of ${frame} bytes`,
    unexplained
  )
  return tooLarge(dialect)
}

/** The reply to a request whose handler has failed. @internal */
export const failureReply = (id: string, call: Named, cause: Cause.Cause<ErrorResponse>, core: Core): ErrorReply => {
  const { dialect, form, host, limits: { frame } } = core
  try {
    const error = errorOf(id, call, cause, core)
    const text = Message.failureText(id, error, form)
    return isTooLarge(text, frame) ? errorReply(id, tooLarge(dialect), form) : { text, error }
  } catch (defect) {
    host.log(`the error of ${nameOf(call, dialect, id)} cannot be written as JSON`, Cause.die(defect))
    return errorReply(id, ErrorObject.internalError, form)
  }
}

const errorOf = (id: string, call: Named, cause: Cause.Cause<ErrorResponse>, core: Core): ErrorObject.ErrorObject => {
  const { dialect, host: { log } } = core
  const name = () => nameOf(call, dialect, id)
  const error = declaredIn(cause, name, log)
  if (error === undefined) return ErrorObject.internalError
  if (error.cause !== undefined) log(`the handler of ${name()} answered ${refusal(error)}`, Cause.die(error.cause))
  return ErrorObject.make(isShuttingDown(error) ? dialect.shutDownCode : error.code, error.message, error.data)
}

/** The error with which a handler has failed, as its type says. Of any other end our log is told. */
const declaredIn = (cause: Cause.Cause<ErrorResponse>, name: () => string, log: Log): ErrorResponse | undefined => {
  const error = cause.reasons.find(Cause.isFailReason)?.error
  if (!Cause.hasFails(cause)) log(`the handler of ${name()} failed in a way it did not declare`, cause)
  else if (isErrorObject(error)) return error
  else log(`the handler of ${name()} failed with an undeclared error: ${reasonIn(error)}`, Cause.die(error))
  return undefined
}

/** An error object in a line of our log, with its data, which has the paths of params that do not fit. */
const refusal = ({ code, data, message }: ErrorResponse): string => {
  const refused = `${code} ${Excerpt.line(message)}`
  return data === undefined ? refused : `${refused} ${Excerpt.line(JSON.stringify(data))}`
}

/** Tells our log of a notification whose handler has failed: nothing is answered. @internal */
export const logFailure = (call: Named, cause: Cause.Cause<ErrorResponse>, { dialect, host: { log } }: Core): void => {
  const name = () => nameOf(call, dialect)
  const error = declaredIn(cause, name, log)
  if (error === undefined) return
  log(
    `the handler of ${name()} failed with ${refusal(error)}`,
    error.cause === undefined ? unexplained : Cause.die(error.cause)
  )
}

/** Whether a failure is an error object. JavaScript has no types, and a cast goes around them. */
const isErrorObject = (error: ErrorResponse | undefined): error is ErrorResponse =>
  Number.isSafeInteger(error?.code) && typeof error?.message === "string"

/** The reason in an error that is no error object: another error may be around it. */
const reasonIn = (error: unknown): string =>
  describeCause(error instanceof Error && error.cause instanceof Error ? error.cause : error)

/** The subject of a call, such as the name of a tool. @internal */
type Named = Pick<Message.Request, "method" | "params">

/** `withdraw (id 1)`; `tools/call of "add" (id 1)` where the dialect says which param names what the call is about. */
const nameOf = ({ method, params }: Named, { subjects }: Dialect.Dialect, id?: string): string => {
  const subject = subjects !== undefined && Object.hasOwn(subjects, method) ? subjects[method] : undefined
  const about = subject === undefined ? undefined : JsonObject.member(params, subject)
  return callName(method, id, typeof about === "string" ? JSON.stringify(about) : undefined)
}

/** An error as a reply. One that cannot be written, such as a code that is no integer, is an internal error. @internal */
export const errorReply = (
  id: string,
  error: ErrorObject.ErrorObject,
  form: Message.EncodeOptions | undefined
): ErrorReply => {
  try {
    return { text: Message.failureText(id, error, form), error }
  } catch {
    return { text: Message.failureText(id, ErrorObject.internalError, form), error: ErrorObject.internalError }
  }
}
