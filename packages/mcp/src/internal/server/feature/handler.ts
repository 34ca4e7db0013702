/**
 * How handlers run: with the services of their server, without a fiber where their effect is an exit already, and with
 * errors that become answers of the protocol.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { Completer, Completers, Known } from "../../../McpContext.ts"
import { type CompleteResult, maxCompletions } from "../../../payload/Results.ts"

/** What `Exit.isExit` and `Exit.isSuccess` say too, for a tenth of their price: this is asked at each step of a call. @internal */
export const isSuccess = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Success<A> =>
  // Only exits have this tag: errors that can be yielded have the names of their classes.
  (effect as { readonly _tag?: unknown })._tag === "Success"

/** As `isSuccess`, for both kinds of exit. @internal */
export const isExit = <A, E, R>(effect: Effect.Effect<A, E, R>): effect is Exit.Exit<A, E> => {
  // As above.
  const tag = (effect as { readonly _tag?: unknown })._tag
  return tag === "Success" || (tag === "Failure" && "cause" in effect)
}

/** The empty result. @internal */
export const done: Exit.Exit<Schema.JsonObject> = Exit.succeed({})

/** The services of a server, for all of its calls: without those that belong to the moment it was made in. @internal */
export const lasting = <R>(context: Context.Context<R>): Context.Context<R> =>
  // Handlers cannot require these two.
  Context.omit(Tracer.ParentSpan, Scope.Scope)(context) as Context.Context<R>

/** An effect with its services; what it acquires is released when it ends. An exit stays one. @internal */
export const provided = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  context: Context.Context<Exclude<R, Scope.Scope>>
): Effect.Effect<A, E> => isSuccess(effect) ? effect : Effect.provideContext(Effect.scoped(effect), context)

/** How the effect of a handler becomes an answer. */
export interface Ending<A, B, E> {
  readonly onSuccess: (value: A) => Effect.Effect<B, E>
  readonly onFailure: (cause: Cause.Cause<unknown>) => Effect.Effect<B, E>
}

/** The answer of a handler, whose effect gets its services. A value that is there at once needs no fiber. @internal */
export const ended = <A, E, R, B, E2>(
  effect: Effect.Effect<A, E, R>,
  context: Context.Context<Exclude<R, Scope.Scope>>,
  ending: Ending<A, B, E2>
): Effect.Effect<B, E2> =>
  isSuccess(effect) ? ending.onSuccess(effect.value) : Effect.matchCauseEffect(provided(effect, context), ending)

/** `Array.isArray`, which narrows no readonly array. @internal */
export const isMany = <A, B>(value: ReadonlyArray<A> | B): value is ReadonlyArray<A> => Array.isArray(value)

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

export type Complete = (
  prefix: string,
  known: Known
) => Effect.Effect<CompleteResult["completion"], ErrorResponse.ErrorResponse>

/** @internal */
export const bindCompleters = <R>(completers: Completers<R> | undefined) => {
  // What each requires is among what they require together.
  const given = Object.entries(completers ?? {}) as ReadonlyArray<[string, Completer<unknown, R[keyof R]> | undefined]>
  const entries = given.flatMap(([name, complete]) => complete === undefined ? [] : [[name, complete] as const])
  if (entries.length === 0) return undefined
  return (context: Context.Context<Exclude<R[keyof R], Scope.Scope>>): { readonly [name: string]: Complete } =>
    Object.fromEntries(entries.map(([name, complete]) => [name, boundCompleter(complete, context)]))
}

const boundCompleter = <E, R>(
  complete: Completer<E, R>,
  context: Context.Context<Exclude<R, Scope.Scope>>
): Complete =>
(prefix, known) => ended(complete(prefix, known), context, completing)

const completing: Ending<ReadonlyArray<string>, CompleteResult["completion"], ErrorResponse.ErrorResponse> = {
  onSuccess: (values) => Exit.succeed(completionOf(values)),
  onFailure: refusalOf
}

const completionOf = (values: ReadonlyArray<string>): CompleteResult["completion"] => ({
  values: values.slice(0, maxCompletions),
  total: values.length,
  hasMore: values.length > maxCompletions
})
