/**
 * A prompt: messages that a person chooses to start with.
 *
 * Its arguments are Schemas whose JSON is text. A handler gives text, which is
 * one message of the user, or messages.
 *
 * @since 0.1.0
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Complete } from "./internal/server/definition/completing.ts"
import * as Completing from "./internal/server/definition/completing.ts"
import * as Serving from "./internal/server/definition/promptServing.ts"
import type { McpCall } from "./McpContext.ts"
import type { Content, Icon } from "./payload/Content.ts"
import type { PromptInfo } from "./payload/Listing.ts"
import type { PromptMessage } from "./payload/Results.ts"
import type { Completers } from "./server/McpCompletion.ts"

/**
 * Arguments by name. `Schema.optionalKey` makes one optional; title and description come from its annotations.
 *
 * @category models
 * @since 0.1.0
 */
export type Args = { readonly [name: string]: Schema.ConstraintCodec<unknown, string> }

/**
 * What a handler gives: text or content, which is one message of the user, or messages.
 *
 * @category models
 * @since 0.1.0
 */
export type Value = string | Content | PromptMessage | ReadonlyArray<string | Content | PromptMessage>

/**
 * A prompt with its handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpPrompt<out R = never> {
  readonly _tag: "McpPrompt"
  readonly info: PromptInfo
  /** Gives what serves it, with the services of a server. It is called once for each server. */
  readonly bind: (context: Context.Context<R>) => Serving.Get
  /** Gives what completes its arguments, by their name; `undefined` where nothing does. */
  readonly complete: ((context: Context.Context<R>) => { readonly [argument: string]: Complete }) | undefined
}

/**
 * A prompt.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <
  const A extends Args = {},
  E = never,
  R = never,
  R2 extends { readonly [name in keyof A]?: unknown } = {}
>(
  name: string,
  options: {
    readonly title?: string | undefined
    readonly description?: string | undefined
    readonly icons?: ReadonlyArray<Icon> | undefined
    readonly meta?: Schema.JsonObject | undefined
    readonly args?: A
    /** What completes an argument from its beginning. */
    readonly complete?: (Completers<R2> & { readonly [name in Exclude<keyof R2, keyof A>]: never }) | undefined
  },
  handler: (args: Schema.Struct.Type<A>, call: McpCall) => Effect.Effect<Value, E, R>
): McpPrompt<Exclude<R | R2[keyof R2], Scope.Scope>> => ({
  _tag: "McpPrompt",
  info: Serving.infoOf(name, options, options.args ?? {}),
  bind: Serving.bind<R>({
    name,
    args: options.args ?? {},
    // The Schemas decode what it takes.
    handler: handler as (args: unknown, call: McpCall) => Effect.Effect<Value, unknown, R>
  }),
  complete: Completing.bind(options.complete)
})

/** A message of the user. @category constructors @since 0.1.0 */
export const user = (content: string | Content): PromptMessage => Serving.message("user", content)

/** A message of the model. @category constructors @since 0.1.0 */
export const assistant = (content: string | Content): PromptMessage => Serving.message("assistant", content)
