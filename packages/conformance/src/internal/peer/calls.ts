/**
 * A caller under test, and the server of its calls in the hands of a law.
 */
import type { Caller, CallError } from "@parley/peer/Caller"
import * as Batch from "@parley/protocol/Batch"
import type * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import { type ErrorObject, RequestId } from "@parley/protocol/shared"
import type { Transport } from "@parley/transport/Transport"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { errorObject, json, oneOf } from "../../shared/Generators.ts"
import { broken } from "../laws.ts"
import type { Verdict } from "../laws/Law.ts"
import * as Sides from "./side.ts"

type Call = Caller

/** The answer of a server to a call. */
export type Outcome = Result.Result<Schema.Json, ErrorObject.ErrorObject>

export const outcome: Arbitrary.Arbitrary<Outcome> = oneOf<Outcome>(
  Arbitrary.map(json, (result) => Result.succeed(result)),
  Arbitrary.map(errorObject, (error) => Result.fail(error))
)

export const replyTo = (id: string, reply: Outcome): string =>
  Result.match(reply, {
    onFailure: (error) => Message.failureText(id, error),
    onSuccess: (result) => Message.successText(id, result)
  })

/** A request that came from the caller, by the text of its id. */
export interface Asked {
  readonly id: string
  readonly method: string
}

/** The caller, and what the law does as its server. */
export interface Subject {
  readonly caller: Call
  readonly side: Sides.Side
  /** The next requests, in one text or in several. Cancellations between them are passed over. */
  readonly requests: (count: number) => Effect.Effect<ReadonlyArray<Asked>, unknown>
  /** The next request. */
  readonly request: Effect.Effect<Asked, unknown>
  /** The exit of a call that must end. */
  readonly end: <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.Effect<Exit.Exit<A, E>, unknown>
}

/** The maker of a caller, and its options. */
export interface Called {
  readonly call: (transport: Transport) => Effect.Effect<Call, unknown, Scope.Scope>
  readonly dialect: Pick<Dialect.Dialect, "cancellation" | "batches">
  readonly patience: Duration.Input
  readonly line: Effect.Effect<readonly [Transport, Transport], unknown, Scope.Scope>
}

/** A caller over a line, of which `wrap` may make another one. */
export const open = (
  { call, dialect, line, patience }: Called,
  wrap: (
    near: Transport,
    far: Transport
  ) => Effect.Effect<Transport> = Effect.succeed
): Effect.Effect<Subject, unknown, Scope.Scope> =>
  Effect.gen(function*() {
    const [near, far] = yield* line
    const caller = yield* call(yield* wrap(near, far))
    const side = Sides.make(far, patience)
    const requests = (count: number) =>
      Effect.gen(function*() {
        const asked: Array<Asked> = []
        while (asked.length < count) asked.push(...yield* askedIn(yield* side.text, dialect.cancellation))
        return asked
      })
    const request = Effect.flatMap(requests(1), ([first, ...others]) =>
      first === undefined || others.length > 0 ? broken("one request should come") : Effect.succeed(first))
    const end = <A, E>(fiber: Fiber.Fiber<A, E>) =>
      Effect.timeoutOrElse(Fiber.await(fiber), {
        duration: patience,
        orElse: () =>
          broken("a call does not end")
      })
    return { caller, side, requests, request, end }
  })

/** A call on a fiber of its own. */
export const begin = <A, E>(call: Effect.Effect<A, E>) => Effect.forkChild(call, { startImmediately: true })

/** The requests of a text. It may hold cancellations, and nothing else. */
const askedIn = (
  text: string,
  cancellation: Dialect.Cancellation | undefined
): Effect.Effect<ReadonlyArray<Asked>, unknown> => {
  const batch = Batch.decode(text)
  const messages = (Batch.isMembers(batch) ? batch : [batch]).map((member) =>
    Result.isSuccess(member) ? member.success : undefined
  )
  const isExpected = (message: Message.Message | undefined) =>
    message?._tag === "Request" || (message?._tag === "Notification" && message.method === cancellation?.method)
  if (!messages.every(isExpected)) return broken(`a request should come, not ${text}`)
  return Effect.succeed(
    messages.flatMap((message) =>
      message?._tag === "Request" ? [{ id: RequestId.toText(message.id), method: message.method }] : []
    )
  )
}

/** The problem in the end of a call that got this answer. */
export const arrives = (reply: Outcome, exit: Exit.Exit<Schema.Json, CallError>): Verdict => {
  const expected = show(reply)
  const actual = show(exitOutcome(exit))
  return expected === actual ? undefined : `${expected} should arrive, but the call ended with ${actual}`
}

/** The reason why a call must not end so, where its answer may be lost on the way. */
export const arrivesOrFails = (reply: Outcome, exit: Exit.Exit<Schema.Json, CallError>): Verdict => {
  if (Exit.isSuccess(exit)) return arrives(reply, exit)
  return errorOf(exit) === undefined ? "a call ended with a defect, or interrupted" : undefined
}

/** Waits until a number has not changed for many turns: nothing moves any more. */
export const quiet = (count: () => number): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let before = -1, turns = 0; turns < 300; turns = count() === before ? turns + 1 : 0, before = count()) {
      yield* Effect.yieldNow
    }
  })

/** How a call ended, as an answer where it was one. */
const exitOutcome = (exit: Exit.Exit<Schema.Json, CallError>): Outcome | string => {
  if (Exit.isSuccess(exit)) return Result.succeed(exit.value)
  const error = errorOf(exit)
  if (error?._tag !== "RemoteError") return error?._tag ?? Cause.pretty(exit.cause)
  const { code, text: message } = error
  return Result.fail(Object.hasOwn(error, "data") ? { code, message, data: error.data ?? null } : { code, message })
}

const show = (reply: Outcome | string): string => {
  if (typeof reply === "string") return reply
  return Result.match(reply, {
    onFailure: ({ code, message, ...data }) => `the error ${JSON.stringify({ code, message, ...data })}`,
    onSuccess: (result) => `the result ${JSON.stringify(result)}`
  })
}

/** The failure of a call, or `undefined` if it did not fail. */
export const errorOf = <A, E>(exit: Exit.Exit<A, E>): E | undefined =>
  Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined

/** The problem of an exit that should be this failure. */
export const failsWith = (
  tag: CallError["_tag"],
  exit: Exit.Exit<unknown, CallError>
): Verdict => {
  const actual = errorOf(exit)?._tag
  if (actual === tag) return undefined
  return `a call should fail with ${tag}, but ended with ${
    actual ?? (Exit.isSuccess(exit) ? JSON.stringify(exit.value) : Cause.pretty(exit.cause))
  }`
}
