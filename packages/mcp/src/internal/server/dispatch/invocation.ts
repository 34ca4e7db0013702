/**
 * The methods that handlers serve: calls of tools, reads of resources, prompts, completions, and those of extensions.
 *
 * Where a handler succeeds at once, so does the answer, without a fiber.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, Relayed } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { McpContext } from "../../../McpContext.ts"
import type { CacheHint } from "../../../payload/Listing.ts"
import type { CompleteParams } from "../../../payload/Requests.ts"
import type { CallToolResult, CompleteResult, GetPromptResult, ReadResourceResult } from "../../../payload/Results.ts"
import * as ClientRequests from "../../../server/ClientRequests.ts"
import * as Envelope from "../../../wire/Envelope.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { WireIssue } from "../../../wire/WireIssue.ts"
import { dropped } from "../../extension/dropped.ts"
import { mismatchOf } from "../../http/headers.ts"
import { isObject, own } from "../../Json.ts"
import { withoutNulls } from "../../wire/lenient.ts"
import type { BoundPrompt, BoundTemplate } from "../definition/Offer.ts"
import type { Bound, ExtensionMethod, ExtensionNotice } from "../extensions/Extensions.ts"
import { isExit, isSuccess } from "../feature/handler.ts"
import { whereReadable, whereVisible } from "../lists/visibility.ts"
import type { Answer, LiveCall } from "./LiveCall.ts"
import { type Refusal, responseOf, toolResultOf } from "./refusal.ts"

/** Goes on with a call behind its answer. */
type Detached = ClientRequests.RoundsOptions["detached"]

/** How a kind of feature answers. */
interface Kind<A> {
  readonly encode: (codec: RevisionCodec, value: A) => Schema.JsonObject
  /** The value that a refusal becomes; `undefined` where it stays one. */
  readonly recover: (codec: RevisionCodec, refusal: Refusal) => A | undefined
}

const tool: Kind<CallToolResult> = {
  encode: (codec, result) => codec.encode.callToolResult(result),
  recover: toolResultOf
}

const resource: Kind<ReadResourceResult> = {
  encode: (codec, result) => codec.encode.readResourceResult(result),
  recover: () => undefined
}

const prompt: Kind<GetPromptResult> = {
  encode: (codec, result) => codec.encode.getPromptResult(result),
  recover: () => undefined
}

/** @internal */
export const callTool = (call: LiveCall): Answer => {
  const { offer, params, codec } = call
  const { arguments: given, name } = params
  // Some clients write null where there are no arguments.
  const args = given ?? none
  if (typeof name !== "string" || !isObject(args)) return refusedParams(codec.decode.callToolParams(params))
  return whereVisible(
    call,
    offer.tools.get(name),
    (bound) => {
      if (bound.feature.relays !== true && Relayed.isBeyondDoubles(call.call.params)) return Exit.fail(beyondDoubles)
      const { feature, serve } = bound
      const { network, server: { extensions } } = call.connection
      const isRepeated = codec.era === "modern" && network.protocol === "http"
      const mismatch = isRepeated ? mismatchOf(feature.info, given, call.header) : undefined
      if (mismatch !== undefined) return Exit.fail(McpError.headerMismatch(mismatch))
      const outcome = extensions.extendsTools
        ? extensions.callTool({ call, params, tool: name, arguments: args, serve }, feature.extensions)
        : undefined
      return outcome?._tag === "Answered"
        ? around(call, outcome.answer)
        : run(call, tool, (as) => serve(args, as), outcome?._tag === "Detachable" ? outcome.detached : undefined)
    },
    () => Exit.fail(McpError.unknownName("tool", name))
  )
}

/** @internal */
export const readResource = (call: LiveCall): Answer => {
  const { connection: { server }, params, codec } = call
  const { uri } = params
  if (typeof uri !== "string") return refusedParams(codec.decode.readResourceParams(params))
  return whereReadable(
    call,
    uri,
    ({ feature, read }) => {
      // A result that depends on answers must not be kept: the same request may be answered differently.
      const isFirst = !isRetry(params)
      const hint = isFirst ? feature.cache ?? server.reads : uncached
      return run(
        call,
        resource,
        (as) =>
          mapped(
            read(as),
            (result): ReadResourceResult =>
              Relayed.carry(isFirst ? { ...hint, ...result } : { ...result, ...hint }, result)
          )
      )
    },
    () => Exit.fail(McpError.resourceNotFound(codec, uri))
  )
}

/** A handler has doubles, and a gateway has read numbers that a server behind it may take. */
const beyondDoubles = ErrorResponse.make(
  ErrorCode.InvalidRequest,
  "Invalid Request: a number in `params` is beyond the range of a double"
)

const uncached: CacheHint = { ttlMs: 0, cacheScope: "private" }

/** @internal */
export const getPrompt = (call: LiveCall): Answer => {
  const { offer, params, codec } = call
  const decoded = withoutNulls(codec.decode.getPromptParams)(params)
  if (Result.isFailure(decoded)) return refusedParams(decoded)
  const { arguments: args = {}, name } = decoded.success
  const serve = ({ get }: BoundPrompt) => run(call, prompt, (as) => get(args, as))
  return whereVisible(
    call,
    offer.prompts.get(name),
    serve,
    () => Exit.fail(McpError.unknownName("prompt", name))
  )
}

/** `Effect.map`, which keeps an exit one. */
const mapped = <A, B, E>(effect: Effect.Effect<A, E>, f: (value: A) => B): Effect.Effect<B, E> =>
  isSuccess(effect) ? Exit.succeed(f(effect.value)) : Effect.map(effect, f)

/** Answers with the extensions around what answers. */
const around = (call: LiveCall, answer: Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse>): Answer => {
  const around = call.connection.server.extensions.around(call.codec.era, call.method)
  const isRefused = isExit(answer) && Exit.isFailure(answer)
  const answered = around === undefined || isRefused ? answer : around(call, () => answer)
  return isExit(answered) ? Effect.map(answered, (result) => sealed(call, result)) : whole(call, answered)
}

/** Runs what serves a call, with the extensions around it. */
const run = <A>(
  call: LiveCall,
  kind: Kind<A>,
  serve: (as: McpContext) => Effect.Effect<A, Refusal>,
  detached?: Detached
): Answer => {
  const around = call.connection.server.extensions.around(call.codec.era, call.method)
  return around === undefined ? settle(call, kind, serve(call), detached) : whole(
    call,
    around(
      call,
      (as) =>
        Effect.suspend(() =>
          as === undefined || as === call ? asked(call, kind, serve(call), detached) : encoded(call, kind, serve(as))
        )
    )
  )
}

/** Answers with what a handler gives. */
const settle = <A>(call: LiveCall, kind: Kind<A>, effect: Effect.Effect<A, Refusal>, detached?: Detached): Answer => {
  if (!isExit(effect) || isRetry(call.params)) return whole(call, asked(call, kind, effect, detached))
  const exit = Exit.isSuccess(effect) ? kind.encode(call.codec, effect.value) : fromCause(call, kind, effect.cause)
  return Exit.isExit(exit) && Exit.isFailure(exit)
    ? exit
    : Exit.succeed(sealed(call, Exit.isExit(exit) ? exit.value : exit))
}

/** The result of a handler, or its questions where those travel inside results. */
const asked = <A>(call: LiveCall, kind: Kind<A>, effect: Effect.Effect<A, Refusal>, detached?: Detached) => {
  const { connection: { server }, codec } = call
  const answered = encoded(call, kind, effect)
  return codec.features.clientRequests === "requests" ? answered : ClientRequests.rounds({
    codec,
    capabilities: call.client.capabilities,
    state: server.sealed,
    server: server.info.name,
    principal: call.principal,
    method: call.method,
    params: call.call.params,
    detached
  }, (asking) => {
    call.asking = asking
    return answered
  })
}

const encoded = <A>(call: LiveCall, kind: Kind<A>, effect: Effect.Effect<A, Refusal>) =>
  Effect.matchCauseEffect(effect, {
    onSuccess: (value) => Exit.succeed(kind.encode(call.codec, value)),
    onFailure: (cause) => fromCause(call, kind, cause)
  })

/** The answer of a call that takes its time: it says what kind of result it is, and comes behind the progress. */
const whole = (
  call: LiveCall,
  effect: Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse>
): Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse> =>
  Effect.onExitPrimitive(
    Effect.map(effect, (result) => sealed(call, result)),
    (exit) => Exit.hasInterrupts(exit) ? undefined : call.behindProgress
  )

const sealed = ({ connection: { server }, codec }: LiveCall, result: Schema.JsonObject): Schema.JsonObject =>
  codec.seal(result, server.serverInfo(codec))

/** The answer to a call that was refused. */
const fromCause = <A>(
  call: LiveCall,
  kind: Kind<A>,
  cause: Cause.Cause<Refusal>
): Exit.Exit<Schema.JsonObject, ErrorResponse.ErrorResponse> => {
  const failure = cause.reasons.find(Cause.isFailReason)
  // Without a failure, a cause has no type.
  if (failure === undefined) return Exit.failCause(cause as Cause.Cause<never>)
  const { codec } = call
  const { error } = failure
  const value = kind.recover(codec, error)
  if (value !== undefined) return Exit.succeed(kind.encode(codec, value))
  const response = responseOf(codec, error)
  if (codec.features.elicitationId) {
    for (const id of McpError.elicitationsOf(response)) call.connection.willComplete(id)
  }
  return Exit.fail(response)
}

/** Whether a request brings what an earlier one asked for. */
const isRetry = (params: Schema.JsonObject): boolean =>
  params["requestState"] !== undefined || params["inputResponses"] !== undefined

const none: Schema.JsonObject = {}

const refusedParams = (decoded: Result.Result<unknown, WireIssue>): Answer =>
  Result.isFailure(decoded)
    ? Exit.fail(McpError.invalidParams(decoded.failure))
    : Exit.die("params that fit were refused")

/** @internal */
export const complete = (call: LiveCall): Answer => {
  const { offer, codec } = call
  const decoded = codec.decode.completeParams(call.params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  const params = decoded.success
  const { ref } = params
  const serve = ({ complete }: BoundPrompt | BoundTemplate) => valuesOf(call, params, complete)
  return ref.type === "ref/prompt"
    ? whereVisible(
      call,
      offer.prompts.get(ref.name),
      serve,
      () => Exit.fail(McpError.unknownName("prompt", ref.name))
    )
    : whereVisible(
      call,
      offer.template(ref.uri),
      serve,
      () => Exit.fail(McpError.resourceNotFound(codec, ref.uri))
    )
}

const valuesOf = (
  call: LiveCall,
  { argument: { name, value }, context }: CompleteParams,
  complete: BoundPrompt["complete"]
): Answer => {
  const completer = complete !== undefined && Object.hasOwn(complete, name) ? complete[name] : undefined
  const completion = completer === undefined
    ? nothing
    : completer(value, { arguments: context?.arguments ?? {}, call })
  return Effect.map(completion, (completion) => sealed(call, call.codec.encode.completeResult({ completion })))
}

const nothing = Exit.succeed<CompleteResult["completion"]>({ values: [], total: 0, hasMore: false })

/** Calls a method of an extension, for a client that has declared what it must. @internal */
export const callExtension = (call: LiveCall, method: ExtensionMethod): Answer =>
  whereVisible(
    call,
    method,
    ({ feature, rules, serve }) => {
      const refusal = refusalOf(call, feature)
      if (refusal !== undefined) return Exit.fail(refusal)
      const result = serve(call.params, call)
      return isSuccess(result)
        ? Exit.succeed(sealed(call, call.codec.encode.extensionResult(result.value, rules.cache)))
        : whole(call, Effect.map(result, (json) => call.codec.encode.extensionResult(json, rules.cache)))
    },
    () => unknownMethod(call)
  )

/** Hears a notification. Nobody can be told that it is refused. @internal */
export const hearExtension = (call: LiveCall, notice: ExtensionNotice): Effect.Effect<void> =>
  Effect.catch(
    whereVisible(
      call,
      notice,
      ({ feature, hear }): Effect.Effect<void, ErrorResponse.ErrorResponse> => {
        const refusal = refusalOf(call, feature)
        return refusal === undefined ? hear(call.params, call) : Exit.fail(refusal)
      },
      () => unknownMethod(call)
    ),
    ({ message }) => dropped(call.method, message)
  )

const unknownMethod = ({ method }: LiveCall) => Exit.fail(ErrorResponse.methodNotFound(method))

/** The reason why a client may not call the methods of an extension, if there is one. */
const refusalOf = (
  { client, codec, method }: LiveCall,
  { info: { name }, readClient }: Bound["feature"]
): ErrorResponse.ErrorResponse | undefined => {
  if (readClient === undefined) return undefined
  const declared = own(client.capabilities.extensions ?? {}, name)
  if (declared === undefined) {
    return codec.features.metaEnvelope
      ? McpError.missingClientCapability({ extensions: { [name]: {} } })
      : ErrorResponse.methodNotFound(method)
  }
  // Capabilities are objects by identifier.
  const issue = readClient(declared as {})
  return issue && McpError.invalidParams({
    issues: issue.issues.map(({ message, path }) => ({
      path: ["_meta", Envelope.clientCapabilities, "extensions", name, ...path],
      message
    }))
  })
}
