/**
 * What handlers fail with, as answers of the protocol.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as ErrorCode from "@parley/protocol/ErrorCode"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"

/** The text of a typed failure. @internal */
export const textOf = (error: unknown): string => {
  if (typeof error === "string") return error
  if (error instanceof Error && error.message !== "") return error.message
  if (typeof error !== "object" || error === null) return String(error)
  // Errors without a message of their own have a tag and fields.
  const { _tag, ...fields } = error as { readonly _tag?: unknown }
  const details = Object.keys(fields).length === 0 ? "" : detailsOf(fields)
  return [typeof _tag === "string" ? _tag : "", details].filter((text) => text !== "").join(" ") || "it failed"
}

/** The fields of an error, as far as they can be written: that some cannot is no reason to keep the error back. */
const detailsOf = (fields: object): string => {
  try {
    return JSON.stringify(fields, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)
  } catch {
    return ""
  }
}

/** The typed failure of a cause; `undefined` where it has none, or a defect beside it. @internal */
export const failureOf = (cause: Cause.Cause<unknown>): { readonly error: unknown } | undefined =>
  Cause.hasDies(cause) ? undefined : cause.reasons.find(Cause.isFailReason)

/**
 * A typed failure as an error object with its message. What is none stays the defect or the interruption that it is.
 *
 * @internal
 */
export const refusalOf = (cause: Cause.Cause<unknown>): Exit.Exit<never, ErrorResponse.ErrorResponse> => {
  const failure = failureOf(cause)
  // Without a failure, a cause has no type.
  if (failure === undefined) return Exit.failCause(cause as Cause.Cause<never>)
  const { error } = failure
  return Exit.fail(
    error instanceof ErrorResponse.ErrorResponse
      ? error
      : ErrorResponse.make(ErrorCode.InternalError, textOf(error))
  )
}
