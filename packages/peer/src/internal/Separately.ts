/**
 * A batch whose members are messages of their own, for dialects without batches, and how each of them ends.
 */
import type * as Message from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Caller, CallOptions, Member } from "../Caller.ts"
import type { CallError, NotifyError } from "../CallerError.ts"

/** How a member ended; `undefined` for a notification. @internal */
export type Outcome = Result.Result<Schema.Json, CallError> | undefined

/** @internal */
export type Notify = (
  method: string,
  params?: Message.Params,
  extra?: Schema.JsonObject
) => Effect.Effect<void, NotifyError>

/** @internal */
export const make =
  (request: Caller["Service"]["request"], notify: Notify) =>
  (members: ReadonlyArray<Member>, call: Pick<CallOptions, "timeout"> | undefined) =>
    Effect.forEach(
      members,
      ({ extra, method, notification, params }): Effect.Effect<Outcome, NotifyError> =>
        notification === true
          ? Effect.as(notify(method, params, extra), undefined)
          : Effect.result(request(method, params, { ...call, extra })),
      { concurrency: "unbounded" }
    )

/** The correlator resumes with typed failures only. @internal */
export const resultOf = (exit: Exit.Exit<Schema.Json, CallError>): Outcome => {
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const error = Exit.findErrorOption(exit)
  return error._tag === "Some" ? Result.fail(error.value) : undefined
}
