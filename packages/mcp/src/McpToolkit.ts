/**
 * The tools of an `effect/ai` toolkit, taken as they are.
 *
 * Their handlers come from the toolkit's own Layer. One that wants to know more
 * of its call finds it in `McpContext.Current`.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpToolkit } from "@parley/mcp"
 * import { Effect, Layer, Schema } from "effect"
 * import { Tool, Toolkit } from "effect/ai"
 *
 * const Degrees = Tool.make("degrees", {
 *   description: "How warm it is.",
 *   parameters: Schema.Struct({ city: Schema.String }),
 *   success: Schema.Finite
 * })
 * const Weather = Toolkit.make(Degrees)
 * const WeatherLive = Weather.toLayer({ degrees: ({ city }) => Effect.succeed(city === "Oslo" ? -3 : 21) })
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpMemoryClient.make({ name: "me", version: "1.0.0" })
 *   console.log((yield* client.callTool("degrees", { city: "Oslo" })).structuredContent) // => -3
 * })
 *
 * const server = McpServer.layer({ name: "weather", version: "1.0.0", features: McpToolkit.tools(Weather) })
 * await program.pipe(Effect.scoped, Effect.provide(Layer.provide(server, WeatherLive)), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { ErrorObject } from "@parley/protocol/shared"
import * as AiError from "effect/ai/AiError"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import { errorsOf, issuesOf } from "./internal/schema/argumentIssues.ts"
import * as SchemaDocument from "./internal/schema/document.ts"
import * as ToolArguments from "./internal/schema/toolArguments.ts"
import { textOf } from "./internal/server/feature/handler.ts"
import { scopeNames, toolName } from "./internal/server/feature/name.ts"
import * as ToolHandler from "./internal/server/feature/toolHandler.ts"
import { Current } from "./McpContext.ts"
import type { McpTool, Serve, ToolOption } from "./McpTool.ts"
import type { ToolAnnotations, ToolInfo } from "./payload/Listing.ts"
import type { CallToolResult } from "./payload/Results.ts"
import * as ClientRequestError from "./server/ClientRequestError.ts"

/**
 * The services that the tools of a toolkit require: their handlers, and the services of those handlers.
 *
 * @category models
 * @since 0.1.0
 */
export type Requirements<Tools extends Record<string, Tool.Any>> =
  | Tool.HandlersFor<Tools>
  | Tool.HandlerServices<Tools[keyof Tools]>

/**
 * The annotation of a tool that says which scopes a call of it needs, as `scopes` of `McpTool.make` does.
 *
 * @category annotations
 * @since 0.1.0
 */
export const RequiredScopes: Context.Reference<ReadonlyArray<string>> = Context.Reference<ReadonlyArray<string>>(
  "@parley/mcp/McpToolkit/RequiredScopes",
  { defaultValue: () => [] }
)

/**
 * The annotation of a tool with the options of extensions, as `extensions` of `McpTool.make` has them. The server then needs
 * the services of these extensions, which the type of an annotation cannot say: without them, to make the server is a
 * defect.
 *
 * @category annotations
 * @since 0.1.0
 */
export const Extensions: Context.Reference<ReadonlyArray<ToolOption<unknown>>> = Context.Reference<
  ReadonlyArray<ToolOption<unknown>>
>(
  "@parley/mcp/McpToolkit/Extensions",
  { defaultValue: () => [] }
)

/**
 * The tools of a toolkit, each as a feature. Title, hints and `_meta` come from the annotations of the tools. A failure
 * that a tool declares becomes a result with `isError`, however the tool wants it returned to a model of ours. Partial:
 * throws for a name that `McpTool.make` refuses, and for a JSON Schema with a reference that leads nowhere.
 *
 * @category constructors
 * @since 0.1.0
 */
export const tools = <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.Toolkit<Tools>
): ReadonlyArray<McpTool<Requirements<Tools>>> =>
  Object.values<Tool.Any>(toolkit.tools).map((tool) => ({
    _tag: "McpTool",
    scopes: scopeNames(Context.get(tool.annotations, RequiredScopes)),
    // An annotation has no place for what its options require.
    extensions: Context.get(tool.annotations, Extensions) as ReadonlyArray<ToolOption>,
    info: infoOf(tool),
    bind: (context) => {
      // Its handlers are all in the context, and its tools are read by their names.
      const handlers = Effect.runSyncWith(context)(toolkit) as unknown as Handlers
      return serve(tool, handlers, context)
    }
  }))

const infoOf = (tool: Tool.Any): ToolInfo => {
  const description = Tool.getDescription(tool)
  const title = Context.getOrUndefined(tool.annotations, Tool.Title)
  const meta = Context.getOrUndefined(tool.annotations, Tool.Meta)
  return {
    name: toolName(tool.name),
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    inputSchema: inputSchema(tool),
    ...(isNothing(tool.successSchema) ? undefined : {
      outputSchema: SchemaDocument.fromSchema(`the results of the tool ${tool.name}`, tool.successSchema)
    }),
    annotations: annotationsOf(tool),
    ...ToolHandler.listedOf(Context.get(tool.annotations, Extensions)),
    // It is written as JSON.
    ...(meta === undefined ? undefined : { _meta: meta as Schema.JsonObject })
  }
}

const inputSchema = (tool: Tool.Any): ToolInfo["inputSchema"] => {
  // What a dynamic tool brings is JSON.
  const raw = Tool.isDynamic(tool) ? tool.jsonSchema as Schema.JsonObject | undefined : undefined
  if (raw !== undefined) {
    // The toolkit checks no arguments with it, so that patterns may be of any kind.
    SchemaCheck.refuseFaults(`the tool ${tool.name}`, raw, { patterns: false })
    return { ...raw, type: "object" }
  }
  return ToolArguments.inputSchema(tool.name, tool.parametersSchema, {}, "error")
}

const isNothing = (schema: Schema.Constraint): boolean =>
  SchemaAST.isVoid(schema.ast) || SchemaAST.isUndefined(schema.ast)

const annotationsOf = ({ annotations }: Tool.Any): ToolAnnotations => ({
  readOnlyHint: Context.get(annotations, Tool.Readonly),
  destructiveHint: Context.get(annotations, Tool.Destructive),
  idempotentHint: Context.get(annotations, Tool.Idempotent),
  openWorldHint: Context.get(annotations, Tool.OpenWorld)
})

const serve = <R>(
  tool: Tool.Any,
  handlers: Handlers,
  context: Context.Context<R>
): Serve => {
  const onResult = resultOf(tool)
  return (args, call) =>
    // The toolkit decodes the arguments, and requires what the context holds.
    (handlers.handle(tool.name, args as Tool.ParametersEncoded<Tool.Any>, undefined, strictly(args)) as Handled)
      .pipe(
        Stream.unwrap,
        Stream.runLast,
        Effect.provideContext(context),
        Effect.provideService(Current, call),
        Effect.matchCauseEffect({
          onSuccess: (last) => onResult(Option.getOrUndefined(last), args),
          onFailure: (cause) => fromCause(tool, cause, args)
        })
      )
}

/** A model hears of all that is wrong at once, also of arguments that a tool does not have. */
const strictly = (args: Schema.JsonObject) => ({ errors: errorsOf(args), onExcessProperty: "error" } as const)

type Handlers = Toolkit.WithHandler<Record<string, Tool.Any>>

type Handled = Effect.Effect<Stream.Stream<Tool.HandlerResult<Tool.Any>, unknown>, unknown>

const resultOf = (tool: Tool.Any) =>
(
  last: Tool.HandlerResult<Tool.Any> | undefined,
  args: Schema.JsonObject
): Exit.Exit<CallToolResult, ToolHandler.Refusal> => {
  if (last === undefined) return Exit.fail(ErrorResponse.internalError(new TypeError(`${tool.name} gave nothing`)))
  if (last.isFailure) return failed(tool, last.result, last.failureOrigin ?? "result", args)
  if (isNothing(tool.successSchema)) return Exit.succeed({ content: [] })
  // The toolkit encodes results as JSON.
  return Exit.succeed(ToolHandler.structured(last.encodedResult as Schema.Json))
}

const fromCause = (
  tool: Tool.Any,
  cause: Cause.Cause<unknown>,
  args: Schema.JsonObject
): Exit.Exit<CallToolResult, ToolHandler.Refusal> => {
  const failure = cause.reasons.find(Cause.isFailReason)
  // Without a failure, a cause has no type.
  if (failure === undefined || Cause.hasDies(cause)) return Exit.failCause(cause as Cause.Cause<never>)
  return failed(tool, failure.error, Context.get(Cause.reasonAnnotations(failure), Toolkit.FailureOrigin), args)
}

const failed = (
  tool: Tool.Any,
  error: unknown,
  origin: Tool.FailureOrigin,
  args: Schema.JsonObject
): Exit.Exit<CallToolResult, ToolHandler.Refusal> => {
  if (error instanceof ErrorResponse.ErrorResponse || ClientRequestError.isUnanswered(error)) return Exit.fail(error)
  switch (origin) {
    case "parameters":
      return Exit.fail(new ToolHandler.InvalidToolArguments({ tool: tool.name, issues: issuesIn(tool, args, error) }))
    case "handler":
      return Exit.succeed(ToolHandler.failed(textOf(error)))
    case "result":
      return Exit.fail(ErrorResponse.internalError(error))
  }
}

/** The reasons as all tools tell them; those of the toolkit where the Schema finds none at once. */
const issuesIn = (tool: Tool.Any, args: Schema.JsonObject, error: unknown): ReadonlyArray<ErrorObject.ParamIssue> => {
  // One that requires services has them in the toolkit only, and is a defect here.
  const decoded = Schema.decodeUnknownExit(tool.parametersSchema as Schema.Decoder<unknown>, strictly(args))(args)
  const failure = Exit.isFailure(decoded) ? Cause.findErrorOption(decoded.cause) : Option.none()
  return Option.isSome(failure)
    ? issuesOf(failure.value)
    : [{ path: [], message: AiError.isAiError(error) ? error.reason.message : textOf(error) }]
}
