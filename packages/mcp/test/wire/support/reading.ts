/** What came of a decoder, for tests. */
import { Result } from "effect"
import type { WireIssue } from "../../../src/wire/WireIssue.ts"

/** A value after it was a text. */
export const travel = (json: unknown): unknown => JSON.parse(JSON.stringify(json))

/** What was accepted. */
export const read = <A>(result: Result.Result<A, WireIssue>): A => {
  if (Result.isFailure(result)) throw new Error(result.failure.message)
  return result.success
}

/** Why it was refused. */
export const refusal = <A>(result: Result.Result<A, WireIssue>): string => {
  if (Result.isSuccess(result)) throw new Error(`accepted ${JSON.stringify(result.success)}`)
  return result.failure.message
}
