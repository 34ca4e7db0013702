/**
 * Several calls of a contract in one message.
 */
import type { Caller, CallError, InvalidArguments, Member, NotifyError } from "@parley/peer/Caller"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { CallOptions } from "../Client.ts"
import type { Lenient } from "../codec/json.ts"
import * as Params from "../codec/params.ts"
import type { Members } from "../Member.ts"
import { entriesOf } from "../members.ts"
import { asksForDigits, callerOf } from "./client.ts"
import * as Settle from "./settle.ts"

/** A call that is not made yet. @internal */
export interface Plan {
  /** What is sent, or why the arguments do not fit. */
  readonly member: Effect.Effect<Member, InvalidArguments>
  readonly settle: (outcome: Result.Result<unknown, CallError> | undefined) => Effect.Effect<unknown, unknown>
  /** The deadline of its method, if it has one. */
  readonly deadline?: Duration.Input | undefined
}

/** @internal */
export type Plans = { readonly [name: string]: (params: unknown) => Plan }

/** The members of a contract that can stand in a batch. @internal */
export const plans = (members: Members, lenient: Lenient | undefined): Plans =>
  Object.fromEntries(
    entriesOf(members).flatMap(([name, member]) => {
      if (member._tag === "Subscription") return []
      const method = member.method ?? name
      const { encode } = Params.make(method, member)
      const notification = member._tag === "Notification"
      const exact = notification ? undefined : asksForDigits(member)
      const { onFailure, onSuccess } = Settle.make(
        method,
        notification ? undefined : member.result,
        notification ? {} : member.errors,
        { exact, lenient }
      )
      const settle: Plan["settle"] = (outcome) => {
        if (outcome === undefined) return Exit.void
        return Result.isSuccess(outcome) ? onSuccess(outcome.success) : onFailure(Cause.fail(outcome.failure))
      }
      const plan = (params: unknown): Plan => ({
        member: Effect.mapEager(encode(params), (params) => ({ method, params, notification, exact })),
        settle,
        deadline: notification ? undefined : member.deadline
      })
      return [[name, plan]]
    })
  )

/** Makes the calls of these plans, and gives their results where the plans stood. @internal */
export const run = (
  client: object,
  plans: ReadonlyArray<Plan>,
  options: Pick<CallOptions, "timeout"> | undefined
): Effect.Effect<ReadonlyArray<Result.Result<unknown, unknown>>, NotifyError> => {
  const caller: Caller | undefined = callerOf(client)
  if (caller === undefined) {
    return Effect.die(new TypeError("the first argument of `batch` must be a client that the same contract made"))
  }
  return Effect.flatMap(Effect.forEach(plans, ({ member }) => Effect.exit(member)), (members) => {
    const sent = members.flatMap((member) => Exit.isSuccess(member) ? [member.value] : [])
    const timeout = options?.timeout ?? longest(plans, members)
    return Effect.flatMap(caller.batch(sent, { timeout }), (outcomes) => {
      let at = 0
      const settled = plans.map(({ settle }, index) => {
        // There is one for each plan.
        const member = members[index] as Exit.Exit<Member, InvalidArguments>
        return Exit.isSuccess(member) ? settle(outcomes[at++]) : member
      })
      return Effect.forEach(settled, Effect.result)
    })
  })
}

/** The responses come together, so that all calls wait for the longest deadline. */
const longest = (
  plans: ReadonlyArray<Plan>,
  members: ReadonlyArray<Exit.Exit<Member, unknown>>
): Duration.Duration | undefined => {
  let most: Duration.Duration | undefined
  for (const [index, { deadline }] of plans.entries()) {
    const member = members[index]
    if (member === undefined || Exit.isFailure(member) || member.value.notification === true) continue
    // Without a deadline of its own, a call waits as long as its caller does.
    if (deadline === undefined) return undefined
    const duration = Duration.fromInputUnsafe(deadline)
    most = most === undefined ? duration : Duration.max(most, duration)
  }
  return most
}
