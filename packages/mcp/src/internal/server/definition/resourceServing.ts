/**
 * Reads resources: runs the handler, and makes contents of whatever it gives.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Excerpt from "@parley/protocol/text/Excerpt"
import type * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { McpCall } from "../../../McpContext.ts"
import type { Documentation, Value } from "../../../McpResource.ts"
import * as Content from "../../../payload/Content.ts"
import * as AskError from "../../../server/ClientRequestError.ts"
import { isSuccess, provided } from "./handler.ts"
import { isMany } from "./many.ts"
import { failureOf, refusalOf } from "./refusals.ts"
import type { Variables } from "./uriTemplate.ts"

export class ResourceNotFound extends Data.TaggedError("ResourceNotFound")<{ readonly uri: string }> {
  override get message(): string {
    return `there is no resource at ${Excerpt.line(this.uri)}`
  }
}

/** How reading may fail. */
export type Refusal = ErrorResponse.ErrorResponse | ResourceNotFound | AskError.Unanswered

export type Read = (call: McpCall, uri: string) => Effect.Effect<ReadonlyArray<Content.ResourceContents>, Refusal>

export type ReadTemplate = (
  variables: Variables,
  call: McpCall,
  uri: string
) => Effect.Effect<ReadonlyArray<Content.ResourceContents>, Refusal>

/** @internal */
export const bind =
  <E, R>(mimeType: string | undefined, handler: (call: McpCall, uri: string) => Effect.Effect<Value, E, R>) =>
  (context: Context.Context<Exclude<R, Scope.Scope>>): Read =>
  (call, uri) => read(handler(call, uri), context, uri, mimeType)

/** @internal */
export const bindTemplate = <E, R>(
  mimeType: string | undefined,
  handler: (variables: Variables, call: McpCall, uri: string) => Effect.Effect<Value, E, R>
) =>
(context: Context.Context<Exclude<R, Scope.Scope>>): ReadTemplate =>
(variables, call, uri) => read(handler(variables, call, uri), context, uri, mimeType)

const read = <E, R>(
  effect: Effect.Effect<Value, E, R>,
  context: Context.Context<Exclude<R, Scope.Scope>>,
  uri: string,
  mimeType: string | undefined
): Effect.Effect<ReadonlyArray<Content.ResourceContents>, Refusal> =>
  isSuccess(effect)
    ? Exit.succeed(contentsOf(effect.value, uri, mimeType))
    : Effect.matchCauseEffect(provided(effect, context), {
      onSuccess: (value) => Exit.succeed(contentsOf(value, uri, mimeType)),
      onFailure: fromCause
    })

const contentsOf = (
  value: Value,
  uri: string,
  mimeType: string | undefined
): ReadonlyArray<Content.ResourceContents> => {
  if (typeof value === "string") return [Content.textContents(uri, value, mimeType)]
  if (value instanceof Uint8Array) return [Content.blobContents(uri, value, mimeType)]
  return isMany(value) ? value : [value]
}

const fromCause = (cause: Cause.Cause<unknown>): Exit.Exit<never, Refusal> => {
  const error = failureOf(cause)?.error
  return error instanceof ResourceNotFound || AskError.isUnanswered(error) ? Exit.fail(error) : refusalOf(cause)
}

/** The members of a list entry that resources and templates share. @internal */
export const documented = ({ annotations, description, icons, meta, mimeType, name, title }: Documentation) => ({
  name,
  ...(title === undefined ? undefined : { title }),
  ...(description === undefined ? undefined : { description }),
  ...(icons === undefined ? undefined : { icons }),
  ...(mimeType === undefined ? undefined : { mimeType }),
  ...(annotations === undefined ? undefined : { annotations }),
  ...(meta === undefined ? undefined : { _meta: meta })
})
