/**
 * Serves calls of a tool: reads the arguments, runs the handler, and makes a
 * result of whatever it gives or fails with.
 */
import type { Params } from "@parley/contract/shared"
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { type ErrorObject, Excerpt } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type * as Scope from "effect/Scope"
import type { McpContext } from "../../../McpContext.ts"
import * as Content from "../../../payload/Content.ts"
import type { ToolInfo } from "../../../payload/Listing.ts"
import type { CallToolResult } from "../../../payload/Results.ts"
import * as ClientRequestError from "../../../server/ClientRequestError.ts"
import { segmentOf } from "../../Json.ts"
import { errorsOf, issuesOf } from "../../schema/argumentIssues.ts"
import { type Excess, schemaOf } from "../../schema/document.ts"
import { ended, failureOf, isMany, textOf } from "./handler.ts"

export class InvalidToolArguments extends Data.TaggedError("InvalidToolArguments")<{
  readonly tool: string
  readonly issues: ReadonlyArray<ErrorObject.ParamIssue>
}> {
  override get message(): string {
    return `Invalid arguments for the tool ${this.tool}: ` +
      this.issues.map(({ message, path }) => path.length === 0 ? message : `${path.join(".")}: ${message}`).join("; ")
  }
}

/** The members that a tool is listed with because of its options. Of two of one extension, the first counts. */
export const listedOf = (
  options: ReadonlyArray<{ readonly info?: Partial<ToolInfo> | undefined }>
): Partial<ToolInfo> => Object.assign({}, ...options.map(({ info }) => info).toReversed())

/** A handler gave what the output schema of its tool does not allow. The caller gets -32603, and the log the path. */
export class InvalidToolResult extends Data.TaggedError("InvalidToolResult")<{
  readonly tool: string
  readonly path: ReadonlyArray<string | number>
  readonly rule: string
}> {
  override get message(): string {
    return `the tool ${this.tool} gave a result that does not fit its output schema at ` +
      `${Excerpt.line(this.path.join("."))}: ${Excerpt.line(this.rule)}`
  }
}

export class ToolResult {
  readonly result: CallToolResult

  constructor(result: CallToolResult) {
    this.result = result
  }
}

/** What a handler without a result Schema may give. */
export type Plain = string | Content.Content | ReadonlyArray<string | Content.Content> | ToolResult | void

/** How a call may fail beside a result that says so. */
export type Refusal = ErrorResponse.ErrorResponse | InvalidToolArguments | ClientRequestError.Unanswered

/** @internal */
export interface Declared<R> {
  readonly name: string
  readonly params: Params.Codec | Params.Fields | undefined
  readonly onExcessProperty: Excess
  readonly result: Params.Codec | undefined
  // The Schemas fit what the handler takes and gives: `McpTool.make` says so.
  readonly handler: (params: unknown, call: McpContext) => Effect.Effect<unknown, unknown, R>
}

/** @internal */
export const bind = <R>({ handler, name, onExcessProperty, params, result }: Declared<R>) => {
  const decode: Decode = params === undefined ? () => nothing : decoder(name, schemaOf(params), onExcessProperty)
  const onSuccess = result === undefined ? fromPlain : fromStructured(name, result)
  const ending = { onSuccess, onFailure: fromCause }
  return (context: Context.Context<Exclude<R, Scope.Scope>>) =>
  (args: Schema.JsonObject, call: McpContext): Effect.Effect<CallToolResult, Refusal> =>
    // What refuses the arguments stays an exit, by which others know that no handler runs.
    Effect.flatMapEager(decode(args), (params) => ended(handler(params, call), context, ending))
}

/** The same for a handler that takes the arguments as they came, where they fit the JSON Schema. @internal */
export const bindRaw = <R>(
  name: string,
  { inputSchema, outputSchema }: {
    readonly inputSchema: Schema.JsonObject
    readonly outputSchema?: Schema.JsonObject | undefined
  },
  handler: (args: Schema.JsonObject, call: McpContext) => Effect.Effect<unknown, unknown, R>
) => {
  const check = SchemaCheck.makeUnsafe(`the tool ${name}`, inputSchema)
  const onSuccess = outputSchema === undefined
    ? fromPlain
    : fitting(name, SchemaCheck.makeUnsafe(`the results of the tool ${name}`, outputSchema))
  const ending = { onSuccess, onFailure: fromCause }
  return (context: Context.Context<Exclude<R, Scope.Scope>>) =>
  (args: Schema.JsonObject, call: McpContext): Effect.Effect<CallToolResult, Refusal> => {
    const issue = check(args)
    if (issue !== undefined) {
      const { path, rule } = issue
      return Exit.fail(new InvalidToolArguments({ tool: name, issues: [{ path, message: rule }] }))
    }
    return ended(handler(args, call), context, ending)
  }
}

/** @internal */
export const resultOf = (options: {
  readonly content?: string | Content.Content | ReadonlyArray<string | Content.Content> | undefined
  readonly structuredContent?: Schema.Json | undefined
  readonly isError?: boolean | undefined
  readonly meta?: Schema.JsonObject | undefined
}): ToolResult =>
  new ToolResult({
    content: blocksOf(options.content),
    ...(options.structuredContent === undefined ? undefined : { structuredContent: options.structuredContent }),
    ...(options.isError === undefined ? undefined : { isError: options.isError }),
    ...(options.meta === undefined ? undefined : { _meta: options.meta })
  })

type Decode = (args: Schema.JsonObject) => Effect.Effect<unknown, InvalidToolArguments>

const nothing = Exit.succeed(undefined)

const decoder = (tool: string, params: Params.Codec, onExcessProperty: Excess): Decode => {
  const codec = Schema.toCodecJson(params)
  const decode = Schema.decodeUnknownEffect(codec, { onExcessProperty })
  const explain = Schema.decodeUnknownEffect(codec, { errors: "all", onExcessProperty })
  const refused = (error: Schema.SchemaError) => new InvalidToolArguments({ tool, issues: issuesOf(error) })
  return (args) =>
    Effect.catchEager(
      decode(args),
      (first) => Effect.mapErrorEager(errorsOf(args) === "all" ? explain(args) : Exit.fail(first), refused)
    )
}

/** What a handler gives without a Schema of its result. */
const fromPlain = (value: unknown): Exit.Exit<CallToolResult, ErrorResponse.ErrorResponse> =>
  Exit.succeed(value instanceof ToolResult ? value.result : plainResult(value))

// The type of the handler says it.
const plainResult = (value: unknown): CallToolResult => ({ content: blocksOf(value as Exclude<Plain, ToolResult>) })

/** Text and blocks as blocks. */
const blocksOf = (
  value: string | Content.Content | ReadonlyArray<string | Content.Content> | void
): ReadonlyArray<Content.Content> => {
  if (typeof value === "string") return [Content.text(value)]
  if (value === undefined || value === null) return []
  return isMany(value) ? value.map((block) => typeof block === "string" ? Content.text(block) : block) : [value]
}

/** Structured content, and the same as text for who reads only that. @internal */
export const structured = (structuredContent: Schema.Json): CallToolResult => ({
  content: [
    Content.text(typeof structuredContent === "string" ? structuredContent : JSON.stringify(structuredContent))
  ],
  structuredContent
})

/** A result that fits an output schema, unless it says that the tool failed. */
const fitting = (name: string, check: SchemaCheck.Check) => (value: unknown): Ended => {
  const { result } = value instanceof ToolResult ? value : new ToolResult(plainResult(value))
  if (result.isError === true) return Exit.succeed(result)
  const { structuredContent } = result
  if (structuredContent === undefined) return misfit(name, [], "it is missing")
  const issue = check(structuredContent)
  if (issue === undefined) return Exit.succeed(result)
  if (issue.isUndecided !== true) return misfit(name, issue.path, issue.rule)
  // The schema can be checked, so only a very large result takes more steps than there are.
  return Effect.as(
    Effect.logWarning(
      `a result of the tool ${Excerpt.line(name)} is sent without being checked: ${Excerpt.line(issue.rule)}`
    ),
    result
  )
}

type Ended = Effect.Effect<CallToolResult, ErrorResponse.ErrorResponse>

const invalid = (tool: string, path: ReadonlyArray<string | number>, rule: string) =>
  ErrorResponse.internalError(new InvalidToolResult({ tool, path: ["structuredContent", ...path], rule }))

const misfit = (tool: string, path: ReadonlyArray<string | number>, rule: string) =>
  Exit.fail(invalid(tool, path, rule))

const standard = SchemaIssue.makeFormatterStandardSchemaV1()

const written = {
  // A codec of JSON encodes to it.
  onSuccess: (value: unknown) => structured(value as Schema.Json),
  onFailure: (error: Schema.SchemaError) => ErrorResponse.internalError(error)
}

const fromStructured = (name: string, schema: Params.Codec): (value: unknown) => Ended => {
  const codec = Schema.toCodecJson(schema)
  const encode = Schema.encodeUnknownEffect(codec)
  const decode = Schema.decodeUnknownExit(codec)
  return (value) => {
    if (value instanceof ToolResult) {
      const { result } = value
      if (result.isError === true) return Exit.succeed(result)
      if (result.structuredContent === undefined) return misfit(name, [], "it is missing")
      const decoded = decode(result.structuredContent)
      return Exit.isSuccess(decoded)
        ? Exit.succeed(result)
        : Exit.failCause(Cause.map(decoded.cause, ({ issue }) => {
          const [{ message, path = [] } = { message: String(issue) }] = standard(issue).issues
          return invalid(name, path.map(segmentOf), message)
        }))
    }
    return Effect.mapBothEager(encode(value), written)
  }
}

/** What a handler failed with, for the model; what it did not declare stays a defect. @internal */
export const fromCause = (cause: Cause.Cause<unknown>): Exit.Exit<CallToolResult, Refusal> => {
  const failure = failureOf(cause)
  // Without a failure, a cause has no type.
  if (failure === undefined) return Exit.failCause(cause as Cause.Cause<never>)
  const { error } = failure
  if (error instanceof ErrorResponse.ErrorResponse || ClientRequestError.isUnanswered(error)) return Exit.fail(error)
  return Exit.succeed(failed(textOf(error)))
}

/** A result that says that the tool failed, and why. @internal */
export const failed = (text: string): CallToolResult => ({ content: [Content.text(text)], isError: true })
