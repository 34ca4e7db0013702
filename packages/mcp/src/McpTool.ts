/**
 * A tool: a function that the model of a client may call.
 *
 * Schemas describe arguments and results; the JSON Schemas that clients see are made from them once. A handler fails
 * in two ways: an error of its own becomes a result with `isError`, which the model sees, and an `ErrorResponse` becomes
 * the error of the request. A defect is logged, and answered "Internal error".
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import { Effect, Schema } from "effect"
 *
 * class DivisionByZero extends Schema.TaggedError<DivisionByZero>()("DivisionByZero", {}) {
 *   override message = "nothing can be divided by zero"
 * }
 *
 * const divide = McpTool.make(
 *   "divide",
 *   { params: { by: Schema.Finite, number: Schema.Finite }, result: Schema.Finite },
 *   ({ by, number }) => by === 0 ? Effect.fail(new DivisionByZero()) : Effect.succeed(number / by)
 * )
 *
 * const program = Effect.gen(function*() {
 *   const { callTool } = yield* McpMemoryClient.make({ name: "me", version: "1.0.0" })
 *   console.log((yield* callTool("divide", { number: 6, by: 3 })).structuredContent) // => 2
 *   console.log((yield* Effect.flip(callTool("divide", { number: 6, by: 0 }))).message)
 *   // => the tool divide failed: nothing can be divided by zero
 * })
 *
 * const server = McpServer.layer({ name: "calculator", version: "1.0.0", features: [divide] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import type { Params } from "@parley/contract/shared"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as SchemaDocument from "./internal/schema/document.ts"
import * as ToolArguments from "./internal/schema/toolArguments.ts"
import { scopeNames, toolName } from "./internal/server/feature/name.ts"
import * as ToolHandler from "./internal/server/feature/toolHandler.ts"
import type { McpContext } from "./McpContext.ts"
import type { Content, Icon } from "./payload/Content.ts"
import type { ObjectSchema, ToolAnnotations, ToolInfo } from "./payload/Listing.ts"
import * as StandardSchema from "./schema/StandardSchema.ts"
import type { OptionRequirements, Serve, ToolOption } from "./server/ToolExtension.ts"

export type { Serve, ToolOption } from "./server/ToolExtension.ts"

/**
 * A tool with its handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpTool<out R = never> {
  readonly _tag: "McpTool"
  /** The entry of the tool in the list. */
  readonly info: ToolInfo
  /** The scopes that it needs, all of them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The options that extensions read: an option of one brings that extension to the server. */
  readonly extensions?: ReadonlyArray<ToolOption<R>> | undefined
  /** Whether lists have it; calls of one that no list has are served all the same. The default is that they do. */
  readonly listed?: boolean | undefined
  /** Whether each call of it is refused: it takes no name from a feature of another source. `false` by default. */
  readonly isRefused?: boolean | undefined
  /** Whether a call may know of it, beside what the server says. */
  readonly visible?: ((call: McpContext) => boolean | Effect.Effect<boolean>) | undefined
  /**
   * Whether it passes its arguments on as they came, as those of a gateway do. They may then be infinite, where the text has a
   * number beyond the range of a double; other tools refuse such a call.
   */
  readonly relays?: boolean | undefined
  /** Gives what serves its calls, with the services of a server. It is called once for each server. */
  readonly bind: (context: Context.Context<R>) => Serve
}

/**
 * A result whose parts are given, as `result` makes it. A handler may give it in place of a plain value.
 *
 * @category models
 * @since 0.1.0
 */
export type ToolResult = ToolHandler.ToolResult

/**
 * The value that a handler gives: that of the Schema `result`, or without one text, content blocks, or nothing.
 *
 * @category models
 * @since 0.1.0
 */
export type Value<S extends Params.Codec | StandardSchema.Described | undefined> = S extends undefined
  ? ToolHandler.Plain
  : StandardSchema.Returned<S> | ToolResult

/**
 * The description of a tool, beside its name and its Schemas.
 *
 * @category models
 * @since 0.1.0
 */
export interface Documentation<O extends ToolOption<unknown> = ToolOption> {
  /** The name that people are shown. */
  readonly title?: string | undefined
  /** The purpose of the tool, and when to use it. Models read it. */
  readonly description?: string | undefined
  /** Hints on how the tool behaves, such as `readOnlyHint`. */
  readonly annotations?: ToolAnnotations | undefined
  /** Pictures that clients may show. */
  readonly icons?: ReadonlyArray<Icon> | undefined
  /** The `_meta` of its entry in the list. */
  readonly meta?: Schema.JsonObject | undefined
  /**
   * The scopes that a call of it needs, all of them. A call without one is refused, over HTTP with 403. Over stdio and in
   * memory, the caller has started the server and has all.
   */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The options of extensions, such as `McpTasks.optional()` of `@parley/mcp-tasks`. Of two of one extension, the first counts. */
  readonly extensions?: ReadonlyArray<O> | undefined
}

/**
 * The options of `make`.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpToolOptions<P, S, O extends ToolOption<unknown>> extends Documentation<O> {
  /** The arguments: fields, or a Schema or Standard Schema whose JSON is an object. Without it, there are none. */
  readonly params?: P
  /**
   * How arguments that `params` do not have are treated, at any depth: `error` refuses them, with the name that was
   * probably meant, and says so in the JSON Schema; `ignore` leaves them out. The default is `error`: a model that
   * misspells an optional argument hears of it. A Standard Schema decides that by itself.
   */
  readonly onExcessProperty?: "error" | "ignore" | undefined
  /**
   * The result: a Schema or a Standard Schema. It travels as structured content, and as text for clients that read only text. Revisions whose structured
   * content can only be an object, or that have none, get the text.
   */
  readonly result?: S
  /** Arguments that HTTP requests repeat in a header `Mcp-Param-…`: the name of the header by that of the argument. */
  readonly headers?: { readonly [argument: string]: string } | undefined
}

/**
 * A tool. Partial: throws where the arguments are not an object, and for a name that the specification does not allow. A
 * name has 1 to 128 ASCII letters, digits, `_`, `-` and `.`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  const P extends Params.Codec | Params.Fields | StandardSchema.Described | undefined = undefined,
  S extends Params.Codec | StandardSchema.Described | undefined = undefined,
  E = never,
  R = never,
  O extends ToolOption<unknown> = never
>(
  name: string,
  options: McpToolOptions<P, S, O>,
  handler: (params: StandardSchema.Decoded<P>, call: McpContext) => Effect.Effect<Value<S>, E, R>
): McpTool<Exclude<R, Scope.Scope> | OptionRequirements<O>> => {
  const { onExcessProperty = "error" } = options
  const params = options.params === undefined ? undefined : StandardSchema.toRead(options.params)
  const result = options.result === undefined ? undefined : StandardSchema.toWrite(options.result)
  return {
    _tag: "McpTool",
    scopes: scopeNames(options.scopes),
    extensions: optionsOf(options.extensions),
    info: infoOf(
      name,
      options,
      ToolArguments.inputSchema(name, params, options.headers ?? {}, onExcessProperty),
      result === undefined ? undefined : SchemaDocument.fromSchema(`the results of the tool ${name}`, result)
    ),
    bind: ToolHandler.bind<R>({
      name,
      params,
      onExcessProperty,
      result,
      // The Schemas decode what it takes.
      handler: handler as (params: unknown, call: McpContext) => Effect.Effect<unknown, unknown, R>
    })
  }
}

/**
 * The options of `raw`: JSON Schemas that travel as they are, to the last keyword.
 *
 * @category models
 * @since 0.1.0
 */
export interface RawOptions<O extends ToolOption<unknown> = ToolOption> extends Documentation<O> {
  /** The JSON Schema of the arguments, which are an object. */
  readonly inputSchema: ObjectSchema
  /** The JSON Schema of the structured content. Without it, the tool does not say what it gives. */
  readonly outputSchema?: Schema.JsonObject | undefined
}

/**
 * A tool with JSON Schemas of its own. Its handler gets the arguments as they came, where they fit the schema, and its
 * structured content fits the output schema, or the call fails. `format` is not checked. Partial: throws for a name that
 * `make` refuses, and for a schema whose parts cannot all be checked: a reference that leads to no schema in it, a
 * dialect that is not known, or a pattern that cannot be run in time that is linear in the text, because it refers back
 * to a group or is not a regular expression.
 *
 * @category constructors
 * @since 0.1.0
 */
export const raw = <E = never, R = never, O extends ToolOption<unknown> = never>(
  name: string,
  options: RawOptions<O>,
  handler: (args: Schema.JsonObject, call: McpContext) => Effect.Effect<ToolHandler.Plain, E, R>
): McpTool<Exclude<R, Scope.Scope> | OptionRequirements<O>> => ({
  _tag: "McpTool",
  scopes: scopeNames(options.scopes),
  extensions: optionsOf(options.extensions),
  info: infoOf(name, options, ToolArguments.withHeaders(name, options.inputSchema, {}), options.outputSchema),
  bind: ToolHandler.bindRaw<R>(name, options, handler)
})

/**
 * A result whose parts are given: content, structured content (as JSON), whether it is an error, and `_meta`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const result = (options: {
  readonly content?: string | Content | ReadonlyArray<string | Content> | undefined
  readonly structuredContent?: Schema.Json | undefined
  readonly isError?: boolean | undefined
  readonly meta?: Schema.JsonObject | undefined
}): ToolResult => ToolHandler.resultOf(options)

/**
 * A result which says that the tool failed, and why. A typed failure becomes such a result with its message; this one
 * may have any content.
 *
 * @category constructors
 * @since 0.1.0
 */
export const failure = (content: string | Content | ReadonlyArray<string | Content>): ToolResult =>
  result({ content, isError: true })

const infoOf = (
  name: string,
  { annotations, description, extensions = [], icons, meta, title }: Documentation<ToolOption<unknown>>,
  inputSchema: ObjectSchema,
  outputSchema: Schema.JsonObject | undefined
): ToolInfo => ({
  name: toolName(name),
  ...(title === undefined ? undefined : { title }),
  ...(description === undefined ? undefined : { description }),
  ...(icons === undefined ? undefined : { icons }),
  inputSchema,
  ...(outputSchema === undefined ? undefined : { outputSchema }),
  ...(annotations === undefined ? undefined : { annotations }),
  ...ToolHandler.listedOf(extensions),
  ...(meta === undefined ? undefined : { _meta: meta })
})

/** The options of a tool, with the requirements that its type names. */
const optionsOf = <O extends ToolOption<unknown>>(options: ReadonlyArray<O> | undefined) =>
  // The requirements of an option are its type parameter.
  options as ReadonlyArray<ToolOption<OptionRequirements<O>>> | undefined
