/**
 * The part of the offer that a call may see and has the scopes for: the four lists, and single features.
 */
import { Scopes } from "@parley/oauth/AccessToken"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode } from "@parley/protocol/shared"
import * as Handshake from "@parley/transport/Handshake"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { AnyFeature } from "../../../server/ServerDefinition.ts"
import * as McpError from "../../../wire/McpError.ts"
import * as WireIssue from "../../../wire/WireIssue.ts"
import type { List } from "../definition/List.ts"
import type { Readable } from "../definition/Offer.ts"
import type { Answer, LiveCall } from "../dispatch/LiveCall.ts"
import { isSuccess } from "../feature/handler.ts"

/** @internal */
export const listTools = (call: LiveCall): Answer => list(call, call.offer.lists.tools)

/** @internal */
export const listResources = (call: LiveCall): Answer => list(call, call.offer.lists.resources)

/** @internal */
export const listTemplates = (call: LiveCall): Answer => list(call, call.offer.lists.resourceTemplates)

/** @internal */
export const listPrompts = (call: LiveCall): Answer => list(call, call.offer.lists.prompts)

const list = <Item extends { readonly feature: AnyFeature }>(call: LiveCall, list: List<Item>): Answer => {
  const { connection: { server }, params: { cursor }, codec } = call
  if (cursor !== undefined && typeof cursor !== "string") return noText
  const answer = (page: Schema.JsonObject | undefined) => page === undefined ? noCursor : Exit.succeed(page)
  if (server.visible === undefined && !server.listsPermitted && !call.offer.isVaried) {
    return answer(list.page(codec, cursor, call.offer.isForCaller ? server.ownLists : server.lists))
  }
  const seen = Effect.filter(list.items, ([, { feature }]) => listed(call, feature))
  return Effect.flatMap(seen, (some) => answer(list.pageOf(codec, some.map(([name]) => name), cursor, server.ownLists)))
}

const noText = Exit.fail(McpError.invalidParams(WireIssue.make("expected a string", ["cursor"])))

const noCursor = Exit.fail(ErrorResponse.make(ErrorCode.InvalidParams, "Invalid cursor"))

/** Whether a call may know of a feature. @internal */
export const visible = (call: LiveCall, feature: AnyFeature): Effect.Effect<boolean> => {
  const { server } = call.connection
  const own = feature.visible === undefined ? yes : answered(feature.visible(call))
  if (server.visible === undefined || (feature._tag === "McpExtension" && feature.isOfTools === true)) return own
  if (isSuccess(own)) return own.value ? answered(server.visible(feature, call)) : own
  return Effect.flatMap(own, (own) => own ? answered(server.visible?.(feature, call) ?? true) : no)
}

const yes = Exit.succeed(true)

const no = Exit.succeed(false)

const answered = (answer: boolean | Effect.Effect<boolean>): Effect.Effect<boolean> =>
  typeof answer === "boolean" ? (answer ? yes : no) : answer

const listed = (call: LiveCall, feature: AnyFeature): Effect.Effect<boolean> => {
  const seen = visible(call, feature)
  if (!call.connection.server.listsPermitted || isUnscoped(feature)) return seen
  return Effect.flatMap(seen, (seen) => seen ? isPermitted(call, feature) : no)
}

const isUnscoped = ({ scopes }: AnyFeature): boolean => scopes === undefined || scopes.length === 0

/** Whether the caller has all scopes that a feature needs. */
const isPermitted = (call: LiveCall, { scopes = [] }: AnyFeature): Effect.Effect<boolean> =>
  Effect.map(Handshake.Current, (current) => {
    const granted = call.scopes ?? (current && Context.get(current.principal, Scopes))
    return granted === "all" || scopes.every((scope) => granted?.has(scope))
  })

/** Serves a feature to callers that have its scopes. */
const whereScoped = <A extends { readonly feature: AnyFeature }, B, E>(
  call: LiveCall,
  bound: A,
  serve: (bound: A) => Effect.Effect<B, E>
): Effect.Effect<B, E | ErrorResponse.ErrorResponse> => {
  const { feature } = bound
  if (isUnscoped(feature)) return serve(bound)
  return Effect.flatMap(
    isPermitted(call, feature),
    (permitted): Effect.Effect<B, E | ErrorResponse.ErrorResponse> =>
      permitted ? serve(bound) : Exit.fail(McpError.insufficientScope(feature.scopes ?? []))
  )
}

/** Serves the first of what is at a URI that a call may know of, where it has the scopes. @internal */
export const whereReadable = <B, E>(
  call: LiveCall,
  uri: string,
  serve: (found: Readable) => Effect.Effect<B, E>,
  unknown: () => Effect.Effect<B, E>
): Effect.Effect<B, E | ErrorResponse.ErrorResponse> => {
  const found = call.offer.at(uri)
  const next = (): Effect.Effect<B, E | ErrorResponse.ErrorResponse> => {
    const { done, value } = found.next()
    return done === true ? unknown() : whereVisible(call, value, serve, next)
  }
  return next()
}

/** Serves a feature that a call may know of where it has the scopes, and any other as if it were not there. @internal */
export const whereVisible = <A extends { readonly feature: AnyFeature }, B, E>(
  call: LiveCall,
  bound: A | undefined,
  serve: (bound: A) => Effect.Effect<B, E>,
  unknown: () => Effect.Effect<B, E>
): Effect.Effect<B, E | ErrorResponse.ErrorResponse> => {
  if (bound === undefined) return unknown()
  if (call.connection.server.visible === undefined && bound.feature.visible === undefined) {
    return whereScoped(call, bound, serve)
  }
  const seen = visible(call, bound.feature)
  return isSuccess(seen)
    ? seen.value ? whereScoped(call, bound, serve) : unknown()
    : Effect.flatMap(seen, (seen) => seen ? whereScoped(call, bound, serve) : unknown())
}
