/**
 * The tools that a client knows, from the lists it has seen, and calls of them.
 */
import * as CallerError from "@parley/peer/CallerError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { RequestOptions, ToolOptions, TypedToolOptions } from "../../../client/ClientOptions.ts"
import { InvalidResult, type McpAskedError, ToolError } from "../../../client/McpClientError.ts"
import * as HeaderValue from "../../../http/HeaderValue.ts"
import type { ToolInfo, ToolPage } from "../../../payload/Listing.ts"
import type { CallToolResult } from "../../../payload/Results.ts"
import * as McpError from "../../../wire/McpError.ts"
import { isObject, segmentOf } from "../../Json.ts"
import * as SchemaCheck from "../../schema/check.ts"
import type { InputRounds } from "../answers/InputRounds.ts"
import type * as Notices from "../changes/Notices.ts"
import { mostWeight, weightOf } from "../lists/weight.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"

/** @internal */
export interface ToolCalls {
  /** Takes the tools of a page, and gives those that may be offered. */
  readonly take: (page: ToolPage, isFirst: boolean) => ReadonlyArray<ToolInfo>
  readonly call: <P>(
    name: string,
    args: P | undefined,
    options: ToolOptions<P> | undefined
  ) => Effect.Effect<CallToolResult, ToolError | McpAskedError>
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
  readonly log: (message: string) => void
  /** Lists the tools again. */
  readonly refresh: Effect.Effect<unknown, McpAskedError>
}

interface Known {
  readonly info: ToolInfo
  /** Made when the first result is looked at. */
  check: SchemaCheck.Check | undefined
}

/** How many tools are remembered, for the schemas of their results. */
const mostKnown = 10_000

/** @internal */
export const make = ({ checksResults, hasHeaders, log, notices, refresh, rounds, session }: Options): ToolCalls => {
  const known = new Map<string, Known>()
  /** The weight of the pages with them. */
  let weight = 0
  const forget = () => {
    known.clear()
    weight = 0
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
    if (Result.isFailure(headers)) log(`dropped the tool ${name}: ${headers.failure}`)
    return Result.isSuccess(headers)
  }

  const checked = (name: string, result: CallToolResult): Effect.Effect<CallToolResult, ToolError | InvalidResult> => {
    if (result.isError === true) return Effect.fail(new ToolError({ tool: name, result }))
    if (!checksResults) return Effect.succeed(result)
    const tool = known.get(name)
    const schema = tool?.info.outputSchema
    if (tool === undefined || schema === undefined) return Effect.succeed(result)
    if (session.agreed().codec.features.structuredContent === "none") return Effect.succeed(result)
    if (!Object.hasOwn(result, "structuredContent") || result.structuredContent === undefined) return missing
    tool.check ??= SchemaCheck.make(schema)
    const issue = tool.check(result.structuredContent)
    if (issue === undefined) return Effect.succeed(result)
    return Effect.fail(
      new InvalidResult({ method: "tools/call", path: ["structuredContent", ...issue.path], rule: issue.rule })
    )
  }

  const attempt = (name: string, args: Schema.JsonObject | undefined, options: RequestOptions | undefined) =>
    Effect.suspend(() =>
      Effect.flatMap(
        rounds(
          "tools/call",
          args === undefined ? { name } : { name, arguments: args },
          optionsOf(known.get(name)?.info, options),
          ({ decode }) => decode.callToolResult
        ),
        (result) => checked(name, result)
      )
    )

  /** Only headers need to know the tool. */
  const optionsOf = (tool: ToolInfo | undefined, options: RequestOptions | undefined) =>
    hasHeaders && tool !== undefined ? { ...options, tool } : options

  const call = <P>(
    name: string,
    args: P | undefined,
    options: ToolOptions<P> | undefined
  ): Effect.Effect<CallToolResult, ToolError | McpAskedError> => {
    const encoded = encode(args, options?.params)
    if (Result.isFailure(encoded)) return Effect.fail(encoded.failure)
    const first = attempt(name, encoded.success, options)
    if (!hasHeaders) return first
    return Effect.catchTag(first, "ProtocolError", (error) =>
      error.code === McpError.HeaderMismatch
        // What the tool asks for has changed.
        ? Effect.andThen(refresh, attempt(name, encoded.success, options))
        : Effect.fail(error))
  }

  return { take, call }
}

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
): Result.Result<Schema.JsonObject | undefined, CallerError.InvalidArguments> => {
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

const refuse = (cause: unknown) => Result.fail(new CallerError.InvalidArguments({ method: "tools/call", cause }))

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
        rule: first?.message ?? String(issue)
      })
    })
  }
}

const nothing = Effect.fail(
  new InvalidResult({ method: "tools/call", path: ["structuredContent"], rule: "it is missing" })
)

const standard = SchemaIssue.makeFormatterStandardSchemaV1()
