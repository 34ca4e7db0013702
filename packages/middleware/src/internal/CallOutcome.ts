/**
 * How a call ended. Spans, metrics and log lines name it in the same words.
 */
import { RemoteError } from "@parley/peer/Caller"
import { ErrorResponse } from "@parley/peer/ErrorResponse"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"

/**
 * How a call ended.
 *
 * @category models
 * @since 0.1.0
 */
export interface Ending {
  /** The kind of the end. */
  readonly outcome: "success" | "failure" | "defect" | "interrupted"
  /**
   * Which failure it is, in a word: the code of its error object, the tag of another error, `defect` or `interrupted`.
   * `undefined` for a success.
   */
  readonly type: string | undefined
  /** The error object, where there is one. */
  readonly error: RemoteError | ErrorResponse | undefined
}

const success: Ending = { outcome: "success", type: undefined, error: undefined }

const defect: Ending = { outcome: "defect", type: "defect", error: undefined }

const interrupted: Ending = { outcome: "interrupted", type: "interrupted", error: undefined }

/** Names how a call ended. @category spans @since 0.1.0 */
export const fromExit = (exit: Exit.Exit<unknown, unknown>): Ending => {
  if (Exit.isSuccess(exit)) return success
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure !== undefined) return fromError(failure.error)
  return Cause.hasDies(exit.cause) ? defect : interrupted
}

const fromError = (error: unknown): Ending =>
  error instanceof RemoteError || error instanceof ErrorResponse
    ? { outcome: "failure", type: String(error.code), error }
    : { outcome: "failure", type: tagOf(error), error: undefined }

const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "_OTHER"
