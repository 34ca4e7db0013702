/**
 * The using side of an extension: what a client declares, hears, and makes of results.
 */
import type * as Message from "@parley/protocol/Message"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import type { McpAskedError } from "../../client/McpClientError.ts"
import type { BoundClientExtension, ClientExtension, ReadResult, ResultCall } from "../../extension/ClientExtension.ts"
import * as WireIssue from "../../wire/WireIssue.ts"
import * as failures from "../client/negotiation/failures.ts"
import { omit, own } from "../Json.ts"
import { type Declared, type DeclaredNotification, dropped } from "./Declared.ts"

type Hear = (params: unknown) => Effect.Effect<void, never, unknown>

type Reader = (value: unknown, call: ResultCall) => Effect.Effect<Schema.Json, McpAskedError, unknown>

/** @internal */
export interface Options {
  readonly settings?: unknown
  readonly handlers?: { readonly [member: string]: Hear | undefined } | undefined
  readonly results?:
    | { readonly [method: string]: { readonly [resultType: string]: Reader | undefined } | undefined }
    | undefined
}

/** @internal */
export const make = (
  { client, era, identifier, notifications, results }: Declared,
  options: Options
): ClientExtension<unknown> => ({
  _tag: "McpClientExtension",
  identifier,
  era,
  settings: client?.encode(options.settings ?? {}),
  notifications: new Set([...notifications.values()].map(({ method }) => method)),
  bind: (made: Context.Context<unknown>): BoundClientExtension => {
    // Handlers cannot require this one: the span that is open while they run is their parent.
    const context = Context.omit(Tracer.ParentSpan)(made)
    return {
      hear: new Map(
        [...notifications].flatMap(([member, notification]) => {
          const hear = own(options.handlers ?? {}, member)
          return hear === undefined ? [] : [[notification.method, hearing(notification, hear, context)]]
        })
      ),
      results: new Map(
        Object.entries(options.results ?? {}).map(([method, readers]) => [
          method,
          new Map(
            Object.entries(readers ?? {}).flatMap(([resultType, read]) => {
              const schema = results[method]?.[resultType]
              return read === undefined || schema === undefined
                ? []
                : [[resultType, reading(method, WireIssue.reader(Schema.toCodecJson(schema)), read, context)]]
            })
          )
        ])
      )
    }
  }
})

const hearing =
  ({ codec, method }: DeclaredNotification, hear: Hear, context: Context.Context<unknown>) =>
  (params: Message.Params | undefined): Effect.Effect<void> =>
    Effect.matchEffect(codec.decodeParams(params), {
      onFailure: (error) => dropped(method, error),
      onSuccess: (params) => Effect.provideContext(hear(params), context)
    })

const reading = (
  method: string,
  decode: ReturnType<typeof WireIssue.reader<unknown>>,
  read: Reader,
  context: Context.Context<unknown>
): ReadResult =>
(json, call) => {
  const value = decode(omit(json, "resultType"))
  if (Result.isSuccess(value)) return Effect.provideContext(read(value.success, call), context)
  return Effect.fail(failures.fromIssue(method, value.failure))
}
