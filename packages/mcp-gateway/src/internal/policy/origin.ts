/**
 * Whose word an error is. Its code does not tell: a server behind may answer with any.
 */
import type { Shares } from "@parley/mcp/shared"
import * as McpError from "@parley/mcp/wire/McpError"
import * as ErrorResponse from "@parley/peer/ErrorResponse"

const refusals = new WeakSet<object>()

const answers = new WeakSet<object>()

/** Marks an error as ours: we have not let the call pass. @internal */
export const refusal = (error: ErrorResponse.ErrorResponse): ErrorResponse.ErrorResponse => {
  refusals.add(error)
  return error
}

/** The refusal of a call for which there is no room. @internal */
export const overloaded = (message: string): ErrorResponse.ErrorResponse =>
  refusal(ErrorResponse.make(McpError.Overloaded, message))

const whose = { all: "", own: " for one caller", unnamed: " for callers without a principal" }

/** The refusal of a call for which a bound has no room: no more than so many of what it bounds. @internal */
export const full = (shares: Shares.Shares, beyond: Shares.Full, what: string): ErrorResponse.ErrorResponse =>
  overloaded(`No more than ${shares.boundOf(beyond)} ${what} at once${whose[beyond]}`)

/** Marks an error as one that the server behind has answered with. @internal */
export const answer = (error: ErrorResponse.ErrorResponse): ErrorResponse.ErrorResponse => {
  answers.add(error)
  return error
}

/** Whether we have not let the call pass. @internal */
export const isRefusal = (error: ErrorResponse.ErrorResponse): boolean => refusals.has(error)

/** Whether the server behind did not answer as it should. @internal */
export const isFailure = (error: ErrorResponse.ErrorResponse): boolean =>
  error.code === McpError.UpstreamFailed && !answers.has(error) && !refusals.has(error)
