/**
 * A resource: text or bytes that a client may read, at one URI or at all URIs that fit a template.
 *
 * A handler gives text, bytes, or whole contents. It fails with `notFound`, which
 * each revision answers with its own code, with an `ErrorResponse`, or with an error
 * of its own, whose message the client gets.
 *
 * ```ts run
 * import { McpMemoryClient, McpResource, McpServer } from "@parley/mcp"
 * import { Effect } from "effect"
 *
 * const notes = new Map([["today", "Water the plants."]])
 *
 * const note = McpResource.template("notes://{day}", { name: "Notes", mimeType: "text/plain" }, ({ day }, _, uri) => {
 *   const text = notes.get(day)
 *   return text === undefined ? Effect.fail(McpResource.notFound(uri)) : Effect.succeed(text)
 * })
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpMemoryClient.make({ name: "me", version: "1.0.0" })
 *   console.log(JSON.stringify((yield* client.readResource("notes://today")).contents))
 *   // => [{"uri":"notes://today","mimeType":"text/plain","text":"Water the plants."}]
 *   console.log((yield* Effect.flip(client.readResource("notes://never"))).message)
 *   // => resources/read (id 3) was answered with error -32602: Resource not found
 * })
 *
 * const server = McpServer.layer({ name: "notes", version: "1.0.0", features: [note] })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Excerpt } from "@parley/protocol/shared"
import type * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import {
  bindCompleters,
  type Complete,
  ended,
  failureOf,
  isMany,
  refusalOf
} from "./internal/server/feature/handler.ts"
import { filledName, scopeNames } from "./internal/server/feature/name.ts"
import * as UriTemplate from "./internal/server/feature/uriTemplate.ts"
import type { Completers, McpContext } from "./McpContext.ts"
import * as Content from "./payload/Content.ts"
import type { CacheHint, ResourceInfo, ResourceTemplateInfo } from "./payload/Listing.ts"
import type { ReadResourceResult } from "./payload/Results.ts"
import * as ClientRequestError from "./server/ClientRequestError.ts"

/**
 * The value that a handler gives: text, bytes, or contents. Text and bytes get the URI that was asked for, and the
 * media type of the resource.
 *
 * @category models
 * @since 0.1.0
 */
export type Value = string | Uint8Array | Content.ResourceContents | ReadonlyArray<Content.ResourceContents>

/**
 * There is no resource at the URI. A handler may fail with it.
 *
 * @category errors
 * @since 0.1.0
 */
export class ResourceNotFound extends Data.TaggedError("ResourceNotFound")<{ readonly uri: string }> {
  override get message(): string {
    return `there is no resource at ${Excerpt.line(this.uri)}`
  }
}

/** The errors of reading. @category errors @since 0.1.0 */
export type Refusal = ErrorResponse.ErrorResponse | ResourceNotFound | ClientRequestError.Unanswered

/**
 * Reads the resource at a URI. The cache hint of the result replaces that of the resource.
 *
 * @category models
 * @since 0.1.0
 */
export type Read = (call: McpContext, uri: string) => Effect.Effect<ReadResourceResult, Refusal>

/** Reads the resource that a template has at a URI. @category models @since 0.1.0 */
export type ReadTemplate = (
  variables: UriTemplate.Variables,
  call: McpContext,
  uri: string
) => Effect.Effect<ReadResourceResult, Refusal>

/**
 * A resource with its handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpResource<out R = never> {
  readonly _tag: "McpResource"
  /** The entry of the resource in the list. */
  readonly info: ResourceInfo
  /** The scopes that it needs, all of them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** Whether lists have it; calls of one that no list has are served all the same. The default is that they do. */
  readonly listed?: boolean | undefined
  /** Whether each call of it is refused: it takes no name from a feature of another source. `false` by default. */
  readonly isRefused?: boolean | undefined
  /** Whether a call may know of it, beside what the server says. */
  readonly visible?: ((call: McpContext) => boolean | Effect.Effect<boolean>) | undefined
  /**
   * Gives an element for each change, while a client is subscribed to what is at the URI. Without it, the server is told
   * of changes by `resourceUpdated`.
   */
  readonly watch?: ((uri: string, call: McpContext) => Stream.Stream<unknown, unknown>) | undefined
  /** For how long, and by whom, what is read may be kept; `undefined` for what the server says. */
  readonly cache: CacheHint | undefined
  /** Gives what reads it, with the services of a server. It is called once for each server. */
  readonly bind: (context: Context.Context<R>) => Read
}

/**
 * Resources by a template, with their handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpResourceTemplate<out R = never> {
  readonly _tag: "McpResourceTemplate"
  /** The entry of the template in the list. */
  readonly info: ResourceTemplateInfo
  /** The scopes that it needs, all of them. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** Whether lists have it; calls of one that no list has are served all the same. The default is that they do. */
  readonly listed?: boolean | undefined
  /** Whether each call of it is refused: it takes no name from a feature of another source. `false` by default. */
  readonly isRefused?: boolean | undefined
  /** Whether a call may know of it, beside what the server says. */
  readonly visible?: ((call: McpContext) => boolean | Effect.Effect<boolean>) | undefined
  /**
   * Gives an element for each change, while a client is subscribed to what is at the URI. Without it, the server is told
   * of changes by `resourceUpdated`.
   */
  readonly watch?: ((uri: string, call: McpContext) => Stream.Stream<unknown, unknown>) | undefined
  /** For how long, and by whom, what is read may be kept; `undefined` for what the server says. */
  readonly cache: CacheHint | undefined
  /** The variables of a URI that fits; `undefined` for any other URI. */
  readonly match: (uri: string) => { readonly [variable: string]: string } | undefined
  /** Gives what reads them, with the services of a server. It is called once for each server. */
  readonly bind: (context: Context.Context<R>) => ReadTemplate
  /** Gives what completes its variables, by their name; `undefined` where nothing does. */
  readonly complete: ((context: Context.Context<R>) => { readonly [variable: string]: Complete }) | undefined
}

/**
 * The description of a resource, beside its URI.
 *
 * @category models
 * @since 0.1.0
 */
export interface Documentation {
  /** The name of the resource, for programs. */
  readonly name: string
  /** The name that people are shown. */
  readonly title?: string | undefined
  /** A sentence on the content of the resource. Models read it. */
  readonly description?: string | undefined
  /** The media type of what is read. */
  readonly mimeType?: string | undefined
  /** For whom the resource is, how important it is, and when it last changed. */
  readonly annotations?: Content.Annotations | undefined
  /** Pictures that clients may show. */
  readonly icons?: ReadonlyArray<Content.Icon> | undefined
  /** The `_meta` of its entry in the list. */
  readonly meta?: Schema.JsonObject | undefined
  /** For how long, and by whom, what is read may be kept. */
  readonly cache?: CacheHint | undefined
  /**
   * The scopes that reading it needs, all of them. A read without one is refused, over HTTP with 403. Over stdio and in
   * memory, the caller has started the server and has all.
   */
  readonly scopes?: ReadonlyArray<string> | undefined
}

/** There is no resource at the URI. @category errors @since 0.1.0 */
export const notFound = (uri: string): ResourceNotFound => new ResourceNotFound({ uri })

/**
 * A resource at one URI. Partial: throws for an empty name.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <E = never, R = never>(
  uri: string,
  options: Documentation & {
    /** Its size in bytes, where it is known. */
    readonly size?: number | undefined
  },
  handler: (call: McpContext, uri: string) => Effect.Effect<Value, E, R>
): McpResource<Exclude<R, Scope.Scope>> => ({
  _tag: "McpResource",
  scopes: scopeNames(options.scopes),
  info: { uri, ...documented(uri, options), ...(options.size === undefined ? undefined : { size: options.size }) },
  cache: options.cache,
  bind: bind(options.mimeType, handler)
})

/**
 * Resources at every URI that fits a template of RFC 6570, up to its level 3. The handler gets the variables decoded:
 * `{name}` and `{+name}` have at least one character, others may be absent. Partial: throws for a text that is not such a
 * template, for one whose variables cannot be told apart, and for an empty name.
 *
 * @category constructors
 * @since 0.1.0
 */
export const template = <
  const T extends string,
  E = never,
  R = never,
  R2 extends { readonly [name in UriTemplate.NamesOf<T>]?: unknown } = {}
>(
  uriTemplate: T,
  options: Documentation & {
    /** The completers of variables, by their names. */
    readonly complete?: Completers<R2> | undefined
    /**
     * The values that its variables may have. `"safe"`, the default, refuses values that lead out of a folder: a URI does
     * not match where a variable has the part `..` between slashes or backslashes, or the character NUL, however it is
     * encoded. `"any"` takes all values, for variables that do not name files.
     */
    readonly variables?: "safe" | "any" | undefined
  },
  handler: (variables: UriTemplate.VariablesOf<T>, call: McpContext, uri: string) => Effect.Effect<Value, E, R>
): McpResourceTemplate<Exclude<R | R2[keyof R2], Scope.Scope>> => ({
  _tag: "McpResourceTemplate",
  scopes: scopeNames(options.scopes),
  info: { uriTemplate, ...documented(uriTemplate, options) },
  cache: options.cache,
  match: matcher(uriTemplate, options.variables ?? "safe"),
  bind: bindTemplate(
    options.mimeType,
    // The variables are those of the template.
    handler as (variables: UriTemplate.Variables, call: McpContext, uri: string) => Effect.Effect<Value, E, R>
  ),
  complete: bindCompleters(options.complete)
})

const matcher = (uriTemplate: string, allowed: "safe" | "any"): McpResourceTemplate["match"] => {
  const match = UriTemplate.matcher(uriTemplate)
  if (allowed === "any") return match
  return (uri) => {
    const variables = match(uri)
    return variables === undefined || UriTemplate.isSafe(variables) ? variables : undefined
  }
}

const bind =
  <E, R>(mimeType: string | undefined, handler: (call: McpContext, uri: string) => Effect.Effect<Value, E, R>) =>
  (context: Context.Context<Exclude<R, Scope.Scope>>): Read =>
  (call, uri) => read(handler(call, uri), context, uri, mimeType)

const bindTemplate = <E, R>(
  mimeType: string | undefined,
  handler: (variables: UriTemplate.Variables, call: McpContext, uri: string) => Effect.Effect<Value, E, R>
) =>
(context: Context.Context<Exclude<R, Scope.Scope>>): ReadTemplate =>
(variables, call, uri) => read(handler(variables, call, uri), context, uri, mimeType)

const read = <E, R>(
  effect: Effect.Effect<Value, E, R>,
  context: Context.Context<Exclude<R, Scope.Scope>>,
  uri: string,
  mimeType: string | undefined
): Effect.Effect<ReadResourceResult, Refusal> =>
  ended(effect, context, {
    onSuccess: (value) => Exit.succeed({ contents: contentsOf(value, uri, mimeType) }),
    onFailure: fromCause
  })

const contentsOf = (
  value: Value,
  uri: string,
  mimeType: string | undefined
): ReadonlyArray<Content.ResourceContents> => {
  if (typeof value === "string") return [Content.textContents(uri, value, mimeType)]
  if (value instanceof Uint8Array) return [Content.blobContents(uri, value, mimeType)]
  return isMany(value) ? value : [value]
}

const fromCause = (cause: Cause.Cause<unknown>): Exit.Exit<never, Refusal> => {
  const error = failureOf(cause)?.error
  return error instanceof ResourceNotFound || ClientRequestError.isUnanswered(error)
    ? Exit.fail(error)
    : refusalOf(cause)
}

/** The members of a list entry that resources and templates share. */
const documented = (
  uri: string,
  { annotations, description, icons, meta, mimeType, name, title }: Documentation
) => ({
  name: filledName(`the resource ${uri}`, name),
  ...(title === undefined ? undefined : { title }),
  ...(description === undefined ? undefined : { description }),
  ...(icons === undefined ? undefined : { icons }),
  ...(mimeType === undefined ? undefined : { mimeType }),
  ...(annotations === undefined ? undefined : { annotations }),
  ...(meta === undefined ? undefined : { _meta: meta })
})
