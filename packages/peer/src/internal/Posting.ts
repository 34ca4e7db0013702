/**
 * One exchange of a caller, and the calls that wait for what comes back.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as CallerError from "../CallerError.ts"
import type { Outcome, Waiting } from "../Correlator.ts"
import type { Ending, ExchangeError } from "../Exchange.ts"
import { Alarm } from "./Sweeper.ts"

/** Why calls end with their exchange. @internal */
export type Failure = CallerError.Disconnected | CallerError.HttpStatusError | CallerError.InvalidResponse

/** The alarm is for an exchange that goes on for too long. @internal */
export class Posting extends Alarm {
  /** Absent before it runs, and when it has ended. */
  fiber: Fiber.Fiber<Ending, ExchangeError> | undefined = undefined
  readonly calls: Array<Waiting> = []
  /** How many of its calls have not ended. */
  open = 0
  /** What was wrong first with what came back. */
  rule: string | undefined = undefined
  overdue = false
  /** The services of its call. */
  context: Context.Context<never> | undefined = undefined
  /** Whether a call of it takes partial results. */
  readonly isStreaming: boolean

  constructor(isStreaming: boolean) {
    super()
    this.isStreaming = isStreaming
  }

  override ring() {
    this.overdue = true
    this.fiber?.interruptUnsafe()
  }

  /** Its calls are added one after the other, so that their ids are, too. */
  add(call: Waiting) {
    this.calls.push(call)
    this.open++
  }

  owns(id: unknown): boolean {
    const first = this.calls[0]
    return typeof id === "number" && first !== undefined && id >= first.id && id < first.id + this.calls.length
  }

  /** Gives it up, and waits until that is done. */
  readonly abandon: Effect.Effect<void> = Effect.suspend(() =>
    this.fiber === undefined ? Effect.void : Fiber.interrupt(this.fiber)
  )
}

/** Whether the other side has said how a call ended. @internal */
export const isAnswered = (outcome: Outcome): boolean => {
  if (Exit.isSuccess(outcome)) return true
  const failure = outcome.cause.reasons.find(Cause.isFailReason)
  return failure?.error._tag === "RemoteError" || failure?.error._tag === "InvalidResponse"
}

/** Whether the time of a call has run out. @internal */
export const isLate = (outcome: Outcome): boolean =>
  Exit.isFailure(outcome) && outcome.cause.reasons.find(Cause.isFailReason)?.error._tag === "RequestTimeout"

/** The failure of a call whose exchange ended before its response came. @internal */
export const failureOf = (
  { overdue, rule }: Posting,
  exit: Exit.Exit<Ending, ExchangeError>,
  method: string
): Failure => {
  if (Exit.isFailure(exit)) {
    const error = exit.cause.reasons.find(Cause.isFailReason)?.error
    if (error?._tag === "BadAnswer") return new CallerError.InvalidResponse({ method, rule: error.rule })
    if (error !== undefined) return error
    const cause = overdue ? new Error("there was no answer in time") : Cause.squash(exit.cause)
    return new CallerError.Disconnected({ reason: { _tag: "Lost", cause }, sent: true })
  }
  if (exit.value === "answer" || rule !== undefined) {
    return new CallerError.InvalidResponse({ method, rule: rule ?? "no response came" })
  }
  return new CallerError.Disconnected({ reason: { _tag: "EndOfInput" }, sent: true })
}
