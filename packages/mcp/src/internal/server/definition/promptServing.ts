/**
 * Serves prompts: reads the arguments, runs the handler, and makes messages of
 * whatever it gives.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Scope from "effect/Scope"
import type { McpCall } from "../../../McpContext.ts"
import type { Args, Value } from "../../../McpPrompt.ts"
import * as Content from "../../../payload/Content.ts"
import type { PromptArgument, PromptInfo } from "../../../payload/Listing.ts"
import type { PromptMessage } from "../../../payload/Results.ts"
import * as AskError from "../../../server/ClientRequestError.ts"
import { isSuccess, provided } from "./handler.ts"
import { isMany } from "./many.ts"
import { failureOf, refusalOf } from "./refusals.ts"

export type Get = (
  args: { readonly [name: string]: string },
  call: McpCall
) => Effect.Effect<ReadonlyArray<PromptMessage>, ErrorResponse.ErrorResponse | AskError.Unanswered>

/** @internal */
export const bind = <R>({ args, handler }: {
  readonly name: string
  readonly args: Args
  readonly handler: (args: unknown, call: McpCall) => Effect.Effect<Value, unknown, R>
}) => {
  const decode = Schema.decodeUnknownExit(Schema.Struct(args), { errors: "all" })
  return (context: Context.Context<Exclude<R, Scope.Scope>>): Get => (given, call) => {
    const decoded = decode(given)
    if (Exit.isFailure(decoded)) return Exit.failCause(Cause.map(decoded.cause, ErrorResponse.fromSchemaError))
    const effect = handler(decoded.value, call)
    return isSuccess(effect)
      ? Exit.succeed(messagesOf(effect.value))
      : Effect.matchCauseEffect(provided(effect, context), {
        onSuccess: (value) => Exit.succeed(messagesOf(value)),
        onFailure: fromCause
      })
  }
}

const fromCause = (
  cause: Cause.Cause<unknown>
): Exit.Exit<never, ErrorResponse.ErrorResponse | AskError.Unanswered> => {
  const error = failureOf(cause)?.error
  return AskError.isUnanswered(error) ? Exit.fail(error) : refusalOf(cause)
}

const messagesOf = (value: Value): ReadonlyArray<PromptMessage> =>
  isMany(value) ? value.map(messageOf) : [messageOf(value)]

const messageOf = (value: string | Content.Content | PromptMessage): PromptMessage =>
  typeof value !== "string" && "role" in value ? value : message("user", value)

/** @internal */
export const message = (role: "user" | "assistant", content: string | Content.Content): PromptMessage => ({
  role,
  content: typeof content === "string" ? Content.text(content) : content
})

/** What clients see of a prompt. @internal */
export const infoOf = (
  name: string,
  options: Omit<PromptInfo, "name" | "arguments" | "_meta" | "title" | "description" | "icons"> & {
    readonly title?: string | undefined
    readonly description?: string | undefined
    readonly icons?: ReadonlyArray<Content.Icon> | undefined
    readonly meta?: Schema.JsonObject | undefined
  },
  args: Args
): PromptInfo => {
  const { description, icons, meta, title } = options
  const names = Object.entries(args)
  return {
    name,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    ...(icons === undefined ? undefined : { icons }),
    ...(names.length === 0 ? undefined : { arguments: names.map(([name, schema]) => argumentOf(name, schema)) }),
    ...(meta === undefined ? undefined : { _meta: meta })
  }
}

const argumentOf = (name: string, schema: Args[string]): PromptArgument => {
  const title = SchemaAST.resolveTitle(schema.ast)
  const description = SchemaAST.resolveDescription(schema.ast)
  return {
    name,
    ...(title === undefined ? undefined : { title }),
    ...(description === undefined ? undefined : { description }),
    required: !SchemaAST.isOptional(SchemaAST.toEncoded(schema.ast))
  }
}
