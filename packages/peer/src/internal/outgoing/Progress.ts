/**
 * Where a dialect puts the tokens of a call's progress and partial results, and
 * how it reports both.
 *
 * Tokens name the call and what it asks for, because some dialects send both by
 * one method. A bare id would not do: servers have tokens of their own, and some
 * of them count, too.
 */
import type { Dialect, PartialResults, Progress } from "@parley/protocol/Dialect"
import type { Notification, Params } from "@parley/protocol/Message"
import { JsonObject, Relayed, Written } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Caller, CallOptions } from "../../Caller.ts"
import type { WaitingCalls } from "../../Correlator.ts"
import type { NotifyError } from "../CallerError.ts"

/** The token of a request that asks, or `undefined`. Some callers write null where they ask for nothing. */
const tokenOf = (progress: Progress | undefined, params: Params | undefined): string | number | undefined => {
  if (progress === undefined || params === undefined) return undefined
  const token = progress.request.reduce<Schema.Json | undefined>(JsonObject.member, params)
  if (typeof token !== "number" || Number.isSafeInteger(token)) {
    return typeof token === "string" || typeof token === "number" ? token : undefined
  }
  // The caller compares its token digit by digit. Params that are passed on have them.
  const holder = progress.request.slice(0, -1).reduce<Schema.Json | undefined>(JsonObject.member, params)
  // A token of another type is an exact number, and is written as a number.
  return JsonObject.isObject(holder) ? Relayed.memberOf(holder, progress.request.at(-1) ?? "") as number : token
}

const progressToken = (id: number) => `progress-${id}`
const partialResultToken = (id: number) => `partial-${id}`

/** The id of our call that a token names, if it is one of ours. */
const idIn = (token: Schema.Json | undefined, tokenOf: (id: number) => string): number | undefined => {
  if (typeof token !== "string") return undefined
  const id = Number(token.slice(token.indexOf("-") + 1))
  return token === tokenOf(id) ? id : undefined
}

/** The id of our call that a partial result belongs to. @internal */
export const partialResultOf = (partialResults: PartialResults, params: Params | undefined): number | undefined =>
  idIn(JsonObject.member(params, partialResults.member), partialResultToken)

/** The ids of our calls that a notification may bring progress and a partial result of. */
const idsIn = ({ partialResults, progress }: Dialect, { method, params }: Notification) => ({
  progress: method === progress?.method ? idIn(JsonObject.member(params, progress.member), progressToken) : undefined,
  partial: method === partialResults?.method ? partialResultOf(partialResults, params) : undefined
})

/** Whether a notification brings progress or a partial result of a call of ours that waits. @internal */
export const isExpected = (dialect: Dialect, ours: WaitingCalls, notification: Notification): boolean => {
  const { partial, progress } = idsIn(dialect, notification)
  return ours.numbered(progress ?? partial) !== undefined
}

/** Hands a notification to the call of ours that it brings progress or a partial result of. @internal */
export const take = (dialect: Dialect, ours: WaitingCalls, notification: Notification): boolean => {
  const { params } = notification
  const { partial, progress } = idsIn(dialect, notification)
  if (progress !== undefined && params !== undefined && ours.progress(progress, params)) return true
  const value = JsonObject.member(params, dialect.partialResults?.value ?? "")
  return partial !== undefined && value !== undefined && ours.partialResult(partial, value)
}

/** The params of a request with the tokens of what it asks for. @internal */
export const withTokens = (
  { partialResults, progress }: Dialect,
  id: number,
  params: Params | undefined,
  { onPartialResult, onProgress }: Pick<CallOptions, "onPartialResult" | "onProgress">
): Params | undefined => {
  const asking = onProgress === undefined ? params : withToken(progress, params, progressToken(id))
  return onPartialResult === undefined ? asking : withToken(partialResults, asking, partialResultToken(id))
}

/** Whether a request with these params can ask for partial results. @internal */
export const asksPartialResults = ({ partialResults }: Dialect, params: Params | undefined): boolean =>
  withToken(partialResults, params, "") !== params

/** Positional params have no place for a token. */
const withToken = (progress: Progress | undefined, params: Params | undefined, token: string): Params | undefined =>
  progress === undefined || !(params === undefined || JsonObject.isObject(params))
    ? params
    // A path has a last name.
    : JsonObject.insert(params ?? {}, progress.request.slice(0, -1), { [progress.request.at(-1) ?? ""]: token })

type Notifier = Pick<Caller, "notify">

/** Reports the progress of a call to its caller, if the caller asked for it. @internal */
export const notify = (
  caller: Notifier,
  progress: Progress | undefined,
  request: Params | undefined,
  params: Schema.JsonObject
): Effect.Effect<void, NotifyError> => {
  const token = tokenOf(progress, request)
  return progress === undefined || token === undefined
    ? Effect.void
    : caller.notify(progress.method, { ...params, [progress.member]: token })
}

/** A function that sends a partial result to the caller, or `undefined` when the caller asked for none. @internal */
export const partialResult = (
  caller: Notifier,
  partialResults: PartialResults,
  request: Params | undefined
): ((value: Schema.Json) => Effect.Effect<void, NotifyError>) | undefined => {
  const token = tokenOf(partialResults, request)
  const { member, method, value: name } = partialResults
  return token === undefined
    ? undefined
    : (value) => caller.notify(method, Written.wrap({ [member]: token, [name]: value }))
}
