/**
 * Completion of what a person types: arguments of prompts, variables of templates.
 */
import type * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { CompleteParams } from "../../../payload/Requests.ts"
import { maxCompletions } from "../../../payload/Results.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { BoundPrompt, BoundTemplate } from "../definition/Offer.ts"
import { whereVisible } from "../lists/visibility.ts"
import type { LiveCall } from "./LiveCall.ts"

type Answer = Effect.Effect<Schema.Json, ErrorResponse.ErrorResponse>

/** @internal */
export const complete = (call: LiveCall): Answer => {
  const { connection: { server }, wire } = call
  const decoded = wire.decode.completeParams(call.params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.misfit(decoded.failure))
  const params = decoded.success
  const { ref } = params
  const serve = ({ complete }: BoundPrompt | BoundTemplate) => valuesOf(call, params, complete)
  return ref.type === "ref/prompt"
    ? whereVisible(
      call,
      server.features.prompts.get(ref.name),
      serve,
      () => Exit.fail(McpError.unknownName("prompt", ref.name))
    )
    : whereVisible(
      call,
      server.features.templates.get(ref.uri),
      serve,
      () => Exit.fail(McpError.resourceNotFound(wire, ref.uri))
    )
}

const valuesOf = (
  call: LiveCall,
  { argument: { name, value }, context }: CompleteParams,
  complete: BoundPrompt["complete"]
): Answer => {
  const completer = complete !== undefined && Object.hasOwn(complete, name) ? complete[name] : undefined
  const values = completer === undefined
    ? Exit.succeed([])
    : completer(value, { arguments: context?.arguments ?? {}, call })
  return Effect.map(values, (values) => answer(call, values))
}

const answer = ({ connection: { server }, wire }: LiveCall, values: ReadonlyArray<string>): Schema.JsonObject =>
  wire.seal(
    wire.encode.completeResult({
      completion: {
        values: values.slice(0, maxCompletions),
        total: values.length,
        hasMore: values.length > maxCompletions
      }
    }),
    server.serverInfo(wire)
  )
