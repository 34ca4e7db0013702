/**
 * What the client answers when it is asked, in a request of the server or in a
 * round of a call: it runs the handlers that were given, and sees to it that what
 * they answer fits what was asked.
 */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { withoutCall } from "@parley/peer/Handler"
import { ErrorCode, Excerpt } from "@parley/protocol/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { McpHandlers } from "../../../client/McpHandlers.ts"
import {
  type ElicitForm,
  type ElicitResult,
  type ElicitUrl,
  type FieldValue,
  isOfferable
} from "../../../payload/Elicitation.ts"
import type { SampleRequest } from "../../../payload/Sampling.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Decoder } from "../../../wire/WireIssue.ts"
import { isObject } from "../../Json.ts"
import { imbalanceOf } from "../../wire/toolBalance.ts"

/** Answers a method that servers may ask for. */
export type Answer = (
  codec: RevisionCodec,
  method: string,
  params: Schema.Json | undefined
) => Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse>

/** Answers what servers ask by these handlers, with the services of where they were made. */
export const make = <R>(handlers: McpHandlers<R>, made: Context.Context<R>): Answer => {
  // The span that is open while they run is their parent, and the server is not the client that we were made for.
  const context = withoutCall(made)
  const elicit = (codec: RevisionCodec, asked: ElicitForm | ElicitUrl): Answered<R> => {
    if ("url" in asked) {
      if (!isOfferable(asked.url)) return refuse("only https addresses are opened, and http ones of this machine")
      return handlers.elicitUrl === undefined ?
        refuse("this client opens no URLs") :
        Effect.map(handlers.elicitUrl(asked), (result) => codec.encode.elicitResult(bare(result)))
    }
    return handlers.elicit === undefined
      ? refuse("this client fills in no forms")
      : Effect.flatMap(
        handlers.elicit(asked),
        (result) =>
          handlers.isVerbatim === true
            ? Effect.succeed(codec.encode.elicitResult(result))
            : Effect.map(filled(asked, result), codec.encode.elicitResult)
      )
  }

  const sample = (codec: RevisionCodec, request: SampleRequest): Answered<R> => {
    if (handlers.sample === undefined) return Effect.fail(ErrorResponse.methodNotFound("sampling/createMessage"))
    const withTools = request.tools !== undefined || request.toolChoice !== undefined
    if (withTools && handlers.sampling?.tools !== true) return refuse("this model takes no tools")
    const imbalance = codec.features.samplingTools ? imbalanceOf(request.messages) : undefined
    if (imbalance !== undefined) return Effect.fail(McpError.invalidParams(imbalance))
    return Effect.map(handlers.sample(request), codec.encode.sampleResult)
  }

  return (codec, method, params) =>
    Effect.provideContext(
      Effect.suspend((): Answered<R> => {
        if (!codec.clientServes(method)) return Effect.fail(ErrorResponse.methodNotFound(method))
        switch (method) {
          case "ping":
            return Effect.succeed({})
          case "elicitation/create":
            return handlers.elicit === undefined && handlers.elicitUrl === undefined
              ? Effect.fail(ErrorResponse.methodNotFound(method))
              : read(codec.decode.elicit, params, (asked) => elicit(codec, asked))
          case "sampling/createMessage":
            return read(codec.decode.sampleRequest, params, (request) => sample(codec, request))
          case "roots/list":
            return handlers.roots === undefined
              ? Effect.fail(ErrorResponse.methodNotFound(method))
              : Effect.map(handlers.roots, (roots) => codec.encode.rootsResult({ roots }))
          default:
            return Effect.fail(ErrorResponse.methodNotFound(method))
        }
      }),
      context
    )
}

type Answered<R> = Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse, R>

const read = <A, R>(
  decode: Decoder<A>,
  params: Schema.Json | undefined,
  answer: (asked: A) => Answered<R>
): Answered<R> =>
  Result.match(decode(params ?? {}), {
    onFailure: (issue) => Effect.fail(McpError.invalidParams(issue)),
    onSuccess: answer
  })

const refuse = (message: string) => Effect.fail(ErrorResponse.make(ErrorCode.InvalidParams, message))

/** Only an accepted form has content. */
const bare = ({ content: _, ...rest }: ElicitResult): ElicitResult => rest

/** An accepted form with the defaults of what was left out. */
const filled = (
  { requestedSchema }: ElicitForm,
  result: ElicitResult
): Effect.Effect<ElicitResult, ErrorResponse.ErrorResponse> => {
  if (result.action !== "accept") return Effect.succeed(bare(result))
  const content = { ...defaultsOf(requestedSchema), ...result.content }
  const issue = SchemaCheck.make(requestedSchema)(content)
  if (issue === undefined) return Effect.succeed({ ...result, content })
  if (issue.isUndecided === true) {
    const why = Excerpt.line(issue.rule, 512)
    return Effect.as(Effect.logWarning(`the answer to a form is sent without being checked: ${why}`), {
      ...result,
      content
    })
  }
  const text = `the answer does not fit the form at ${issue.path.join(".") || "its root"}: ${issue.rule}`
  return Effect.fail(ErrorResponse.internalError(new Error(text)))
}

const defaultsOf = (schema: ElicitForm["requestedSchema"]): { readonly [name: string]: FieldValue } => {
  const properties = schema["properties"]
  if (!isObject(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) => {
      const value = isObject(field) && Object.hasOwn(field, "default") ? field["default"] : undefined
      return isFieldValue(value) ? [[name, value]] : []
    })
  )
}

const isFieldValue = (value: Schema.Json | undefined): value is FieldValue =>
  typeof value === "string" || typeof value === "boolean" || typeof value === "number" ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"))
