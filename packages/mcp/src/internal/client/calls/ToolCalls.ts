/**
 * The tools that a client knows, from the lists it has seen, and calls of them.
 */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as Caller from "@parley/peer/Caller"
import { Excerpt } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as Semaphore from "effect/Semaphore"
import type { BoundClientExtension, ClientToolCall } from "../../../client/ClientExtension.ts"
import type { ToolOptions, TypedToolOptions } from "../../../client/ClientOptions.ts"
import { InvalidResult, type McpAskedError, type McpToolError, ToolError } from "../../../client/McpClientError.ts"
import * as HeaderValue from "../../../http/HeaderValue.ts"
import type { ToolInfo, ToolPage } from "../../../payload/Listing.ts"
import { type CallToolResult, type InputRequired, isInputRequired } from "../../../payload/Results.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Decoder } from "../../../wire/WireIssue.ts"
import { isObject, segmentOf } from "../../Json.ts"
import type { InputRounds } from "../answers/InputRounds.ts"
import type * as Notices from "../changes/Notices.ts"
import { mostWeight, weightOf } from "../lists/weight.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"
import type { SendOptions } from "../requests/Sender.ts"

/** @internal */
export interface ToolCalls {
  /** Takes the tools of a page, and gives those that may be offered. */
  readonly take: (page: ToolPage, isFirst: boolean) => ReadonlyArray<ToolInfo>
  /** Calls a tool. */
  readonly call: <P>(
    name: string,
    args: P | undefined,
    options: ToolOptions<P> | undefined
  ) => Effect.Effect<CallToolResult, McpToolError>
  /** A call of a tool that an extension makes. */
  readonly begin: <P>(name: string, args: P | undefined, options: ToolOptions<P> | undefined) => ClientToolCall
  /** Reads a result that came another way, and holds it against the tool. */
  readonly check: (name: string, json: Schema.Json) => Effect.Effect<CallToolResult, McpToolError>
  /** A tool, which is listed where it is not known. */
  readonly tool: (name: string) => Effect.Effect<ToolInfo | undefined>
}

/** @internal */
export interface Options {
  readonly session: ClientSession
  readonly rounds: InputRounds
  readonly notices: Notices.Notices
  /** Whether tools may ask for headers, so that some cannot be called. */
  readonly hasHeaders: boolean
  /** Whether results are held against the output schemas of their tools. */
  readonly checksResults: boolean
  /** Whether a result is refused where nobody knows if it fits. */
  readonly isStrict: boolean
  readonly log: (message: string) => void
  /** Lists the tools again. */
  readonly refresh: Effect.Effect<unknown, McpAskedError>
  /** Makes the calls in place of the client. */
  readonly callTool: BoundClientExtension["callTool"]
}

interface Known {
  readonly info: ToolInfo
  /** Made when the first result is looked at. */
  check: SchemaCheck.Check | undefined
}

/** How many tools are remembered, for the schemas of their results. */
const mostKnown = 10_000

/** @internal */
export const make = (options: Options): ToolCalls => {
  const { callTool, checksResults, hasHeaders, isStrict, log, notices, refresh, rounds, session } = options
  const known = new Map<string, Known>()
  /** The weight of the pages with them. */
  let weight = 0
  /** Whether all tools were listed. */
  let isListed = false
  const forget = () => {
    known.clear()
    weight = 0
    isListed = false
  }
  notices.on("notifications/tools/list_changed", forget)

  const take: ToolCalls["take"] = (page, isFirst) => {
    const { tools } = page
    if (isFirst) forget()
    weight += weightOf(page)
    const reads = hasHeaders && session.agreed().codec.features.requestHeaders
    const offered = reads ? tools.filter(isCallable) : tools
    const fits = weight <= mostWeight
    for (const info of offered) if (fits && known.size < mostKnown) known.set(info.name, { info, check: undefined })
    return offered
  }

  const isCallable = ({ inputSchema, name }: ToolInfo): boolean => {
    const headers = HeaderValue.headersOf(inputSchema)
    if (Result.isFailure(headers)) log(`dropped the tool ${Excerpt.line(name)}: ${Excerpt.line(headers.failure)}`)
    return Result.isSuccess(headers)
  }

  /** The tools of which was told that results pass unchecked: once for each, however often the tools are listed. */
  const unchecked = new Set<string>()

  const passUnchecked = (name: string, why: string, result: CallToolResult) => {
    const quoted = Excerpt.quoted(name)
    if (!unchecked.has(quoted)) {
      if (unchecked.size >= mostKnown) unchecked.clear()
      unchecked.add(quoted)
      log(`results of the tool ${quoted} pass without being checked: ${Excerpt.line(why, 512)}`)
    }
    return Effect.succeed(result)
  }

  const checked = (name: string, result: CallToolResult): Effect.Effect<CallToolResult, ToolError | InvalidResult> => {
    if (result.isError === true) return Effect.fail(new ToolError({ tool: name, result }))
    if (!checksResults) return Effect.succeed(result)
    const tool = known.get(name)
    const schema = tool?.info.outputSchema
    if (tool === undefined || schema === undefined) return Effect.succeed(result)
    const { features, revision } = session.agreed().codec
    if (features.structuredContent === "none") return Effect.succeed(result)
    if (features.structuredContent === "object" && schema["type"] !== "object") {
      return passUnchecked(name, `revision ${revision} has no output schema whose type is not object`, result)
    }
    if (!Object.hasOwn(result, "structuredContent") || result.structuredContent === undefined) return missing
    tool.check ??= SchemaCheck.make(schema)
    const issue = tool.check(result.structuredContent)
    if (issue === undefined) return Effect.succeed(result)
    const path = ["structuredContent", ...issue.path]
    if (issue.isUndecided === true && !isStrict) {
      return passUnchecked(name, `at ${path.slice(0, 16).join(".")}: ${issue.rule}`, result)
    }
    return Effect.fail(new InvalidResult({ method: "tools/call", path, rule: issue.rule }))
  }

  const check: ToolCalls["check"] = (name, json) => {
    const result = session.read("tools/call", session.agreed().codec.decode.callToolResult, json)
    if (Result.isFailure(result)) return Effect.fail(result.failure)
    return isInputRequired(result.success) ? asksAgain : checked(name, result.success)
  }

  const attempt = <A extends object>(
    name: string,
    args: Schema.JsonObject | undefined,
    options: SendOptions | undefined,
    decoder: (codec: RevisionCodec) => Decoder<CallToolResult | InputRequired | A>,
    more?: Schema.JsonObject
  ) =>
    Effect.suspend(() =>
      rounds<CallToolResult | A>(
        "tools/call",
        { name, ...(args !== undefined && { arguments: args }), ...more },
        optionsOf(known.get(name)?.info, options),
        decoder
      )
    )

  /** Only headers need to know the tool. */
  const optionsOf = (tool: ToolInfo | undefined, options: SendOptions | undefined) =>
    hasHeaders && tool !== undefined ? { ...options, tool } : options

  const listing = Semaphore.makeUnsafe(1)

  /** Lists the tools, unless one is known or they were listed. A tool that cannot be listed may still be called. */
  const tool: ToolCalls["tool"] = (name) =>
    Effect.map(
      listing.withPermits(1)(Effect.suspend(() => {
        if (isListed || known.has(name)) return Effect.void
        return Effect.andThen(
          Effect.ignore(refresh),
          Effect.sync(() => {
            isListed = true
          })
        )
      })),
      () => known.get(name)?.info
    )

  const answered = <P, A extends object>(
    name: string,
    args: P | undefined,
    options: ToolOptions<P> | undefined,
    decoder: (codec: RevisionCodec) => Decoder<CallToolResult | InputRequired | A>,
    { params, progressToken }: Parameters<ClientToolCall["send"]>[1] & {} = {}
  ): Effect.Effect<CallToolResult | A, McpAskedError> => {
    const encoded = encode(args, options?.params)
    if (Result.isFailure(encoded)) return Effect.fail(encoded.failure)
    const first = attempt(
      name,
      encoded.success,
      progressToken === undefined ? options : { ...options, progressToken },
      decoder,
      params
    )
    if (!hasHeaders) return first
    return Effect.catchTag(first, "ProtocolError", (error) =>
      error.code === McpError.HeaderMismatch
        // What the tool asks for has changed.
        ? Effect.andThen(refresh, first)
        : Effect.fail(error))
  }

  const begin: ToolCalls["begin"] = (name, args, options) => ({
    tool: name,
    // What encodes the arguments knows their type.
    options: options as ToolOptions | undefined,
    send: (decoder, more) => answered(name, args, options, decoder, more),
    check: (result) => checked(name, result)
  })

  const call: ToolCalls["call"] = (name, args, options) => {
    const one = begin(name, args, options)
    return callTool === undefined ? Effect.flatMap(one.send<CallToolResult>(plain), one.check) : callTool(one)
  }

  return { take, call, begin, check, tool }
}

const plain = ({ decode }: RevisionCodec): Decoder<CallToolResult | InputRequired> => decode.callToolResult

const asksAgain = Effect.fail(
  new InvalidResult({ method: "tools/call", path: [], rule: "the result of a call that was followed asks for input" })
)

const missing = Effect.fail(
  new InvalidResult({
    method: "tools/call",
    path: ["structuredContent"],
    rule: "it is missing, and the tool has an output schema"
  })
)

const encode = <P>(
  args: P | undefined,
  params: Schema.Codec<P, unknown> | undefined
): Result.Result<Schema.JsonObject | undefined, Caller.InvalidArguments> => {
  const encoded: Result.Result<unknown, Schema.SchemaError> = params === undefined
    ? Result.succeed(args)
    : Schema.encodeUnknownResult(Schema.toCodecJson(params))(args)
  if (Result.isFailure(encoded)) return refuse(encoded.failure)
  const value = encoded.success
  if (value === undefined) return Result.succeed(undefined)
  return isObject(value)
    // What is no JSON in it is refused where it is written.
    ? Result.succeed(value as Schema.JsonObject)
    : refuse(new TypeError("the arguments of a tool are an object"))
}

const refuse = (cause: unknown) => Result.fail(new Caller.InvalidArguments({ method: "tools/call", cause }))

/** The structured content, as the caller's Schema reads it. @internal */
export const decodeContent = <A, P>(
  { result: schema }: TypedToolOptions<A, P>
): (result: CallToolResult) => Effect.Effect<A, InvalidResult> => {
  const decode = Schema.decodeUnknownExit(Schema.toCodecJson(schema))
  return (result) => {
    if (!Object.hasOwn(result, "structuredContent")) return nothing
    return Effect.mapError(decode(result.structuredContent), ({ issue }) => {
      const [first] = standard(issue).issues
      return new InvalidResult({
        method: "tools/call",
        path: ["structuredContent", ...(first?.path ?? []).map(segmentOf)],
        rule: Excerpt.line(first?.message ?? String(issue))
      })
    })
  }
}

const nothing = Effect.fail(
  new InvalidResult({ method: "tools/call", path: ["structuredContent"], rule: "it is missing" })
)

const standard = SchemaIssue.makeFormatterStandardSchemaV1()
