/**
 * Several calls of a contract in one message.
 */
import type { Caller, Member } from "@parley/peer/Caller"
import type { CallError, InvalidArguments, NotifyError } from "@parley/peer/CallerError"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { CallOptions, Members } from "../Contract.ts"
import { callerOf } from "./client.ts"
import { entriesOf } from "./members.ts"
import * as Params from "./params.ts"
import * as Settle from "./settle.ts"

/** A call that is not made yet. @internal */
export interface Plan {
  /** What is sent, unless its arguments do not fit. */
  readonly member: Exit.Exit<Member, InvalidArguments>
  readonly settle: (outcome: Result.Result<unknown, CallError> | undefined) => Result.Result<unknown, unknown>
  /** How long its response is waited for, where its method says so. */
  readonly deadline?: Duration.Input | undefined
}

/** @internal */
export type Plans = { readonly [name: string]: (params: unknown) => Plan }

/** The members of a contract that can stand in a batch. @internal */
export const plans = (members: Members): Plans =>
  Object.fromEntries(
    entriesOf(members).flatMap(([method, member]) => {
      if (member._tag === "Subscription") return []
      const { encode } = Params.make(method, member)
      const notification = member._tag === "Notification"
      const { onFailure, onSuccess } = Settle.make(
        method,
        notification ? undefined : member.result,
        notification ? {} : member.errors
      )
      const settle: Plan["settle"] = (outcome) => {
        if (outcome === undefined) return Result.succeed(undefined)
        return toResult(Result.isSuccess(outcome) ? onSuccess(outcome.success) : onFailure(Cause.fail(outcome.failure)))
      }
      const plan = (params: unknown): Plan => ({
        member: Exit.map(encode(params), (params) => ({ method, params, notification })),
        settle,
        deadline: notification ? undefined : member.deadline
      })
      return [[method, plan]]
    })
  )

/** Makes the calls of these plans, and gives their results where the plans stood. @internal */
export const run = (
  client: object,
  plans: ReadonlyArray<Plan>,
  options: Pick<CallOptions, "timeout"> | undefined
): Effect.Effect<ReadonlyArray<Result.Result<unknown, unknown>>, NotifyError> => {
  const caller: Caller["Service"] | undefined = callerOf(client)
  if (caller === undefined) return Effect.die(new TypeError("a batch needs a client that its contract has made"))
  const members = plans.flatMap(({ member }) => Exit.isSuccess(member) ? [member.value] : [])
  return Effect.map(caller.batch(members, { timeout: options?.timeout ?? longest(plans) }), (outcomes) => {
    let at = 0
    return plans.map(({ member, settle }) => Exit.isSuccess(member) ? settle(outcomes[at++]) : toResult(member))
  })
}

/** The responses come together, so that the longest deadline is that of all. */
const longest = (plans: ReadonlyArray<Plan>): Duration.Duration | undefined => {
  let most: Duration.Duration | undefined
  for (const { deadline, member } of plans) {
    if (Exit.isFailure(member) || member.value.notification === true) continue
    // Without a deadline of its own, a call waits as long as its caller does.
    if (deadline === undefined) return undefined
    const duration = Duration.fromInputUnsafe(deadline)
    most = most === undefined ? duration : Duration.max(most, duration)
  }
  return most
}

/** A defect stays one. */
const toResult = <A, E>(exit: Exit.Exit<A, E>): Result.Result<A, E> => {
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  if (failure === undefined) throw Cause.squash(exit.cause)
  return Result.fail(failure.error)
}
