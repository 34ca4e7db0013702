/**
 * Where a dialect puts the token of a call's progress, and how it reports it.
 */
import type { Progress } from "@parley/protocol/Dialect"
import type { Params } from "@parley/protocol/Message"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Caller } from "../Caller.ts"
import type { NotifyError } from "../CallerError.ts"

type Members = { readonly [member: string]: Schema.Json }

const isMembers = (json: Schema.Json | undefined): json is Members =>
  typeof json === "object" && json !== null && !Array.isArray(json)

const member = (json: Schema.Json | undefined, name: string): Schema.Json | undefined =>
  isMembers(json) && Object.hasOwn(json, name) ? json[name] : undefined

/** The token that a progress notification names. @internal */
export const tokenIn = (progress: Progress, params: Params): Schema.Json | undefined => member(params, progress.member)

/** The token that a request asks for, or `undefined` when it asks for no progress. @internal */
export const tokenOf = (progress: Progress | undefined, params: Params | undefined): Schema.Json | undefined =>
  progress?.request.reduce<Schema.Json | undefined>(member, params)

/** The params of a request with a token in them. Positional params have no place for one. @internal */
export const withToken = (
  progress: Progress | undefined,
  params: Params | undefined,
  token: number
): Params | undefined =>
  progress === undefined || Array.isArray(params)
    ? params
    // Neither undefined nor an array by the lines above, which do not narrow a readonly one.
    : insert((params ?? {}) as Members, progress.request, token)

const insert = (json: Members, [name, ...rest]: ReadonlyArray<string>, token: number): Members => {
  if (name === undefined) return json
  const inner = member(json, name)
  return { ...json, [name]: rest.length === 0 ? token : insert(isMembers(inner) ? inner : {}, rest, token) }
}

/** Reports progress of a call to who made it, if it asked for it. @internal */
export const notify = (
  caller: Pick<Caller["Service"], "notify">,
  progress: Progress | undefined,
  request: Params | undefined,
  params: Members
): Effect.Effect<void, NotifyError> => {
  const token = tokenOf(progress, request)
  return progress === undefined || token === undefined
    ? Effect.void
    : caller.notify(progress.method, { ...params, [progress.member]: token })
}
