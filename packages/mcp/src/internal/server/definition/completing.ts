/**
 * What completes arguments of prompts and variables of templates.
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Completer, Completers, Known } from "../../../server/McpCompletion.ts"
import { isSuccess, provided } from "./handler.ts"
import { refusalOf } from "./refusals.ts"

export type Complete = (prefix: string, known: Known) => Effect.Effect<ReadonlyArray<string>, ErrorResponse>

/** @internal */
export const bind = <R>(completers: Completers<R> | undefined) => {
  // What each requires is among what they require together.
  const given = Object.entries(completers ?? {}) as ReadonlyArray<[string, Completer<unknown, R[keyof R]> | undefined]>
  const entries = given.flatMap(([name, complete]) => complete === undefined ? [] : [[name, complete] as const])
  if (entries.length === 0) return undefined
  return (context: Context.Context<Exclude<R[keyof R], Scope.Scope>>): { readonly [name: string]: Complete } =>
    Object.fromEntries(entries.map(([name, complete]) => [name, bound(complete, context)]))
}

const bound = <E, R>(
  complete: Completer<E, R>,
  context: Context.Context<Exclude<R, Scope.Scope>>
): Complete =>
(prefix, known) => {
  const effect = complete(prefix, known)
  return isSuccess(effect) ? effect : Effect.catchCause(provided(effect, context), refusalOf)
}
