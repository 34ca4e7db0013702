/**
 * A prompt: messages that a person chooses to start with.
 *
 * Its arguments are Schemas whose JSON is text. A handler gives text, which is
 * one message of the user, or messages.
 *
 * ```ts run
 * import { McpMemoryClient, McpPrompt, McpServer } from "@parley/mcp"
 * import { Effect, Schema } from "effect"
 *
 * const review = McpPrompt.make(
 *   "review",
 *   { description: "Reviews some code.", params: { language: Schema.Literals(["Go", "Rust"]) } },
 *   ({ language }) => Effect.succeed([`Review this ${language} code.`, McpPrompt.assistant("Show it to me.")])
 * )
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpMemoryClient.make({ name: "me", version: "1.0.0" })
 *   const { messages } = yield* client.getPrompt("review", { language: "Go" })
 *   for (const { content, role } of messages) console.log(role, content)
 *   // => user { type: 'text', text: 'Review this Go code.' }
 *   // => assistant { type: 'text', text: 'Show it to me.' }
 * })
 *
 * const server = McpServer.layer({ name: "reviewer", version: "1.0.0", features: [review] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import type { Params } from "@parley/contract/shared"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Scope from "effect/Scope"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import { isObject } from "./internal/Json.ts"
import { issuesOf } from "./internal/schema/argumentIssues.ts"
import * as SchemaDocument from "./internal/schema/document.ts"
import {
  bindCompleters,
  type Complete,
  ended,
  failureOf,
  isMany,
  refusalOf
} from "./internal/server/feature/handler.ts"
import { filledName, scopeNames } from "./internal/server/feature/name.ts"
import type { Completers, McpContext } from "./McpContext.ts"
import * as Content from "./payload/Content.ts"
import type { PromptArgument, PromptInfo } from "./payload/Listing.ts"
import type { GetPromptResult, PromptMessage } from "./payload/Results.ts"
import * as StandardSchema from "./schema/StandardSchema.ts"
import * as ClientRequestError from "./server/ClientRequestError.ts"
import * as McpError from "./wire/McpError.ts"

/**
 * Arguments by name. `Schema.optionalKey` makes one optional; title and description come from its annotations.
 *
 * @category models
 * @since 0.1.0
 */
export type Args = { readonly [name: string]: Schema.ConstraintCodec<unknown, string> }

/**
 * Arguments as a Standard Schema, whose input is an object of texts.
 *
 * @category models
 * @since 0.1.0
 */
export type StandardArgs = StandardSchema.Described<{ readonly [name: string]: string | undefined }>

/** The names of the arguments of a Standard Schema. @category models @since 0.1.0 */
export type NamesOf<A extends StandardArgs> = keyof StandardSchemaV1.InferInput<A>

/**
 * The value that a handler gives: text or content, which is one message of the user, or messages.
 *
 * @category models
 * @since 0.1.0
 */
export type Value = string | Content.Content | PromptMessage | ReadonlyArray<string | Content.Content | PromptMessage>

/**
 * Serves a prompt: its arguments are texts, as they came.
 *
 * @category models
 * @since 0.1.0
 */
export type Get = (
  args: { readonly [name: string]: string },
  call: McpContext
) => Effect.Effect<GetPromptResult, ErrorResponse.ErrorResponse | ClientRequestError.Unanswered>

/**
 * A prompt with its handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpPrompt<out R = never> {
  readonly _tag: "McpPrompt"
  /** The entry of the prompt in the list. */
  readonly info: PromptInfo
  /** The scopes that it needs, all of them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** Whether lists have it; calls of one that no list has are served all the same. The default is that they do. */
  readonly listed?: boolean | undefined
  /** Whether each call of it is refused: it takes no name from a feature of another source. `false` by default. */
  readonly isRefused?: boolean | undefined
  /** Whether a call may know of it, beside what the server says. */
  readonly visible?: ((call: McpContext) => boolean | Effect.Effect<boolean>) | undefined
  /** Gives what serves it, with the services of a server. It is called once for each server. */
  readonly bind: (context: Context.Context<R>) => Get
  /** Gives what completes its arguments, by their name; `undefined` where nothing does. */
  readonly complete: ((context: Context.Context<R>) => { readonly [argument: string]: Complete }) | undefined
}

/**
 * The options of `make`, beside the completers.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpPromptOptions<A> {
  /** The name that people are shown. */
  readonly title?: string | undefined
  /** A sentence on the prompt, for people. */
  readonly description?: string | undefined
  /** Pictures that clients may show. */
  readonly icons?: ReadonlyArray<Content.Icon> | undefined
  /** The `_meta` of its entry in the list. */
  readonly meta?: Schema.JsonObject | undefined
  /**
   * The scopes that getting it needs, all of them. A call without one is refused, over HTTP with 403. Over stdio and in
   * memory, the caller has started the server and has all.
   */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The arguments, each a Schema whose JSON is a string, or a Standard Schema of them all. Without it, there are none. */
  readonly params?: A
}

/** The completers of arguments, by their names. @category models @since 0.1.0 */
export interface WithCompleters<R2, Name> {
  /** The completers of arguments, by their names. */
  readonly complete?: (Completers<R2> & { readonly [name in Exclude<keyof R2, Name>]: never }) | undefined
}

/**
 * A prompt. Partial: throws for an empty name, and for a Standard Schema of anything but an object.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: {
  <const A extends StandardArgs, E = never, R = never, R2 extends { readonly [name in NamesOf<A>]?: unknown } = {}>(
    name: string,
    options: McpPromptOptions<A> & WithCompleters<R2, NamesOf<A>> & { readonly params: A },
    handler: (args: StandardSchemaV1.InferOutput<A>, call: McpContext) => Effect.Effect<Value, E, R>
  ): McpPrompt<Exclude<R | R2[keyof R2], Scope.Scope>>
  <const A extends Args = {}, E = never, R = never, R2 extends { readonly [name in keyof A]?: unknown } = {}>(
    name: string,
    options: McpPromptOptions<A> & WithCompleters<R2, keyof A>,
    handler: (args: Schema.Struct.Type<A>, call: McpContext) => Effect.Effect<Value, E, R>
  ): McpPrompt<Exclude<R | R2[keyof R2], Scope.Scope>>
} = <R, R2>(
  name: string,
  options: McpPromptOptions<Args | StandardArgs> & { readonly complete?: Completers<R2> | undefined },
  handler: (args: never, call: McpContext) => Effect.Effect<Value, unknown, R>
): McpPrompt<Exclude<R | R2[keyof R2], Scope.Scope>> => {
  const args = StandardSchema.toRead<Args>(options.params ?? {})
  return {
    _tag: "McpPrompt",
    scopes: scopeNames(options.scopes),
    info: infoOf(name, options, args),
    bind: bind<R>({
      description: options.description,
      args: SchemaDocument.schemaOf(args),
      // The Schemas decode what it takes.
      handler: handler as (args: unknown, call: McpContext) => Effect.Effect<Value, unknown, R>
    }),
    complete: bindCompleters(options.complete)
  }
}

/** A message of the user. @category constructors @since 0.1.0 */
export const user = (content: string | Content.Content): PromptMessage => message("user", content)

/** A message of the model. @category constructors @since 0.1.0 */
export const assistant = (content: string | Content.Content): PromptMessage => message("assistant", content)

const bind = <R>({ args, description, handler }: {
  readonly description: string | undefined
  readonly args: Params.Codec
  readonly handler: (args: unknown, call: McpContext) => Effect.Effect<Value, unknown, R>
}) => {
  const decode = Schema.decodeUnknownEffect(args, { errors: "all" })
  const resultOf = (value: Value): GetPromptResult => ({
    ...(description === undefined ? undefined : { description }),
    messages: messagesOf(value)
  })
  const ending = { onSuccess: (value: Value) => Exit.succeed(resultOf(value)), onFailure: fromCause }
  return (context: Context.Context<Exclude<R, Scope.Scope>>): Get => (given, call) =>
    Effect.flatMapEager(
      Effect.mapErrorEager(decode(given), refused),
      (args) => ended(handler(args, call), context, ending)
    )
}

const fromCause = (
  cause: Cause.Cause<unknown>
): Exit.Exit<never, ErrorResponse.ErrorResponse | ClientRequestError.Unanswered> => {
  const error = failureOf(cause)?.error
  return ClientRequestError.isUnanswered(error) ? Exit.fail(error) : refusalOf(cause)
}

const refused = (error: Schema.SchemaError) => McpError.invalidParams({ issues: issuesOf(error) })

const messagesOf = (value: Value): ReadonlyArray<PromptMessage> =>
  isMany(value) ? value.map(messageOf) : [messageOf(value)]

const messageOf = (value: string | Content.Content | PromptMessage): PromptMessage =>
  typeof value !== "string" && "role" in value ? value : message("user", value)

const message = (role: "user" | "assistant", content: string | Content.Content): PromptMessage => ({
  role,
  content: typeof content === "string" ? Content.text(content) : content
})

/** The description of a prompt that clients see. */
const infoOf = (
  name: string,
  options: Omit<PromptInfo, "name" | "arguments" | "_meta" | "title" | "description" | "icons"> & {
    readonly title?: string | undefined
    readonly description?: string | undefined
    readonly icons?: ReadonlyArray<Content.Icon> | undefined
    readonly meta?: Schema.JsonObject | undefined
  },
  args: Args | Params.Codec
): PromptInfo => {
  const { description, icons, meta, title } = options
  const listed = isFields(args) ? Object.entries(args).map(argumentOf) : argumentsOf(name, args)
  return {
    name: filledName("a prompt", name),
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    ...(icons === undefined ? undefined : { icons }),
    ...(listed.length === 0 ? undefined : { arguments: listed }),
    ...(meta === undefined ? undefined : { _meta: meta })
  }
}

const isFields = (args: Args | Params.Codec): args is Args => !Schema.isSchema(args)

/** The arguments that a JSON Schema names. */
const argumentsOf = (prompt: string, schema: Params.Codec): ReadonlyArray<PromptArgument> => {
  const { properties, required } = SchemaDocument.fromSchema(`the prompt ${prompt}`, schema)
  if (!isObject(properties)) throw new TypeError(`the arguments of the prompt ${prompt} are no object`)
  return Object.entries(properties).map(([name, property]) => {
    const { description, title } = isObject(property) ? property : {}
    return {
      name,
      ...(typeof title === "string" ? { title } : undefined),
      ...(typeof description === "string" ? { description } : undefined),
      required: Array.isArray(required) && required.includes(name)
    }
  })
}

const argumentOf = ([name, schema]: [string, Args[string]]): PromptArgument => {
  const title = SchemaAST.resolveTitle(schema.ast)
  const description = SchemaAST.resolveDescription(schema.ast)
  return {
    name,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    required: !SchemaAST.isOptional(SchemaAST.toEncoded(schema.ast))
  }
}
