/**
 * A resource: what a client may read, at one URI or at all that fit a template.
 *
 * A handler gives text, bytes, or contents that say more. It fails with
 * `notFound`, which each revision answers in its own way, with an `ErrorResponse`,
 * or with an error of its own, whose message the client is told.
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Complete } from "./internal/server/definition/completing.ts"
import * as Completing from "./internal/server/definition/completing.ts"
import * as Serving from "./internal/server/definition/resourceServing.ts"
import * as UriTemplate from "./internal/server/definition/uriTemplate.ts"
import type { McpCall } from "./McpContext.ts"
import type { Annotations, Icon, ResourceContents } from "./payload/Content.ts"
import type { CacheHint, ResourceInfo, ResourceTemplateInfo } from "./payload/Listing.ts"
import type { Completers } from "./server/McpCompletion.ts"

/**
 * What a handler gives: text, bytes, or contents. Text and bytes have the URI that was asked for, and the media type of
 * the resource.
 *
 * @category models
 * @since 0.1.0
 */
export type Value = string | Uint8Array | ResourceContents | ReadonlyArray<ResourceContents>

/**
 * A resource with its handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpResource<out R = never> {
  readonly _tag: "McpResource"
  readonly info: ResourceInfo
  /** For how long, and by whom, what is read may be kept; `undefined` for what the server says. */
  readonly cache: CacheHint | undefined
  /** Gives what reads it, with the services of a server. It is called once for each server. */
  readonly bind: (context: Context.Context<R>) => Serving.Read
}

/**
 * Resources by a template, with their handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpResourceTemplate<out R = never> {
  readonly _tag: "McpResourceTemplate"
  readonly info: ResourceTemplateInfo
  readonly cache: CacheHint | undefined
  /** The variables of a URI that fits. */
  readonly match: (uri: string) => { readonly [variable: string]: string } | undefined
  readonly bind: (context: Context.Context<R>) => Serving.ReadTemplate
  /** Gives what completes its variables, by their name; `undefined` where nothing does. */
  readonly complete: ((context: Context.Context<R>) => { readonly [variable: string]: Complete }) | undefined
}

/**
 * What resources say about themselves beside where they are.
 *
 * @category models
 * @since 0.1.0
 */
export interface Documentation {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly mimeType?: string | undefined
  readonly annotations?: Annotations | undefined
  readonly icons?: ReadonlyArray<Icon> | undefined
  readonly meta?: Schema.JsonObject | undefined
  /** For how long, and by whom, what is read may be kept. */
  readonly cache?: CacheHint | undefined
}

/**
 * There is no such resource. A handler may fail with it.
 *
 * @category errors
 * @since 0.1.0
 */
export type ResourceNotFound = Serving.ResourceNotFound

/** There is no resource at the URI. @category errors @since 0.1.0 */
export const notFound = (uri: string): ResourceNotFound => new Serving.ResourceNotFound({ uri })

/**
 * A resource at one URI.
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
  handler: (call: McpCall, uri: string) => Effect.Effect<Value, E, R>
): McpResource<Exclude<R, Scope.Scope>> => ({
  _tag: "McpResource",
  info: { uri, ...Serving.documented(options), ...(options.size === undefined ? undefined : { size: options.size }) },
  cache: options.cache,
  bind: Serving.bind(options.mimeType, handler)
})

/**
 * Resources at every URI that fits a template of RFC 6570, up to its level 3. Their variables are given decoded; of
 * `{name}` and `{+name}` there is at least one character, others may be absent. Partial: throws where it is no such
 * template, and where it cannot be told which variable has which part.
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
    /** What completes a variable from its beginning. */
    readonly complete?: Completers<R2> | undefined
  },
  handler: (variables: UriTemplate.VariablesOf<T>, call: McpCall, uri: string) => Effect.Effect<Value, E, R>
): McpResourceTemplate<Exclude<R | R2[keyof R2], Scope.Scope>> => ({
  _tag: "McpResourceTemplate",
  info: { uriTemplate, ...Serving.documented(options) },
  cache: options.cache,
  match: UriTemplate.matcher(uriTemplate),
  bind: Serving.bindTemplate(
    options.mimeType,
    // The variables are those of the template.
    handler as (variables: UriTemplate.Variables, call: McpCall, uri: string) => Effect.Effect<Value, E, R>
  ),
  complete: Completing.bind(options.complete)
})
