/**
 * The serving side of an extension.
 */
import type { InvalidArguments } from "@parley/peer/Caller"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import type { ErrorObject } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { McpContext } from "../../McpContext.ts"
import type { CacheHint } from "../../payload/Listing.ts"
import type { Feature } from "../../server/Feature.ts"
import type { ServerChanges } from "../../server/ServerChanges.ts"
import type { BoundExtension, Run, ServerExtension } from "../../server/ServerExtension.ts"
import * as McpError from "../../wire/McpError.ts"
import * as RevisionCodec from "../../wire/RevisionCodec.ts"
import { isObject, own } from "../Json.ts"
import { ended, provided } from "../server/feature/handler.ts"
import { scopeNames } from "../server/feature/name.ts"
import type { Declared, DeclaredMethod, DeclaredNotification } from "./Declared.ts"
import { dropped } from "./dropped.ts"

type Handler = (params: unknown, call: McpContext) => Effect.Effect<unknown, unknown, unknown>

type Hear = (params: unknown, call: McpContext) => Effect.Effect<void, never, unknown>

type Around = (
  call: McpContext,
  run: Run,
  declared: Option.Option<unknown>
) => Effect.Effect<unknown, ErrorResponse.ErrorResponse, unknown>

/** @internal */
export interface Options {
  readonly settings?: unknown
  readonly handlers?: { readonly [member: string]: Handler } | undefined
  readonly hearers?: { readonly [member: string]: Hear | undefined } | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly cache?: { readonly [member: string]: CacheHint | undefined } | undefined
  readonly features?: ReadonlyArray<Feature<unknown>> | undefined
  readonly around?: { readonly [method: string]: Around | undefined } | undefined
  readonly permitted?:
    | ((
      topic: string,
      values: ReadonlyArray<string>,
      call: McpContext
    ) => Effect.Effect<ReadonlyArray<string>, never, unknown>)
    | undefined
}

/** Partial: throws where a handler is missing. @internal */
export const make = (declared: Declared, options: Options): ServerExtension<unknown> => {
  const { client, era, heard, identifier, methods, server, topics } = declared
  const bound = [...methods].map(([member, method]) => {
    const handler = own(options.handlers ?? {}, member)
    if (handler === undefined) throw new TypeError(`the handlers of ${identifier} have none for ${member}`)
    return [method.method, serving(method, handler)] as const
  })
  return {
    _tag: "McpExtension",
    info: { name: identifier },
    scopes: scopeNames(options.scopes),
    era,
    settings: server?.encode(options.settings ?? {}),
    readClient: client && ((json) => Option.getOrUndefined(Result.getFailure(client.decode(json)))),
    methods: new Map(
      [...methods].map(([member, { method, named }]) => [method, { named, cache: own(options.cache ?? {}, member) }])
    ),
    topics,
    features: options.features ?? [],
    bind: (context: Context.Context<unknown>): BoundExtension => ({
      methods: new Map(bound.map(([method, serve]) => [method, serve(context)])),
      notifications: new Map(
        [...heard].flatMap(([member, notification]) => {
          const hear = own(options.hearers ?? {}, member)
          return hear === undefined ? [] : [[notification.method, hearing(notification, hear, context)]]
        })
      ),
      around: new Map(
        Object.entries(options.around ?? {}).flatMap(([method, around]) =>
          around === undefined ? [] : [[method, intercepting(declared, method, around, context)]]
        )
      ),
      permitted: (topic, values, call) =>
        options.permitted === undefined
          ? Exit.succeed(values)
          : provided(options.permitted(topic, values, call), context)
    })
  }
}

const serving = ({ codec, method }: DeclaredMethod, handler: Handler) => {
  const onSuccess = (value: unknown) => Effect.flatMapEager(codec.encodeResult(value), (json) => objectOf(method, json))
  const ending = { onSuccess, onFailure: codec.encodeFailure }
  return (context: Context.Context<unknown>) =>
  (params: Schema.JsonObject, call: McpContext): Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse> =>
    Effect.flatMapEager(
      Effect.mapErrorEager(codec.decodeParams(params), withIssues),
      (decoded) => ended(handler(decoded, call), context, ending)
    )
}

const hearing =
  ({ codec, method }: DeclaredNotification, hear: Hear, context: Context.Context<unknown>) =>
  (params: Schema.JsonObject, call: McpContext): Effect.Effect<void> =>
    Effect.matchEffect(codec.decodeParams(params), {
      onFailure: (error) => dropped(method, Cause.fail(error)),
      onSuccess: (params) => provided(hear(params, call), context)
    })

/** The error for params that do not fit, with the first issue in its message. */
const withIssues = ({ data }: ErrorResponse.ErrorResponse): ErrorResponse.ErrorResponse =>
  // Its data are the issues.
  McpError.invalidParams({ issues: data as unknown as ReadonlyArray<ErrorObject.ParamIssue> })

/** Every result of the protocol is an object; that of a method without a result is empty. */
const objectOf = (method: string, json: Schema.Json) =>
  json === null
    ? Exit.succeed<Schema.JsonObject>({})
    : isObject(json)
    ? Exit.succeed(json)
    : Exit.fail(ErrorResponse.internalError(new TypeError(`the result of ${method} is no object`)))

/** A result in the words of an extension. */
class Foreign {
  readonly method: string
  readonly resultType: string
  readonly value: unknown

  constructor(method: string, resultType: string, value: unknown) {
    this.method = method
    this.resultType = resultType
    this.value = value
  }
}

/** The public type says nothing of it. @internal */
export const result = (method: string, resultType: string, value: unknown): unknown =>
  new Foreign(method, resultType, value)

const intercepting = (
  declared: Declared,
  method: string,
  around: Around,
  context: Context.Context<unknown>
): (call: McpContext, run: Run) => Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse> => {
  const schemas = Object.entries(declared.results[method] ?? {}).map(([resultType, schema]) =>
    [resultType, Schema.encodeUnknownEffect(Schema.toCodecJson(schema))] as const
  )
  const encoders = new Map(schemas)
  const refuse = (what: string) =>
    Exit.fail(ErrorResponse.internalError(new TypeError(`${declared.identifier} answers ${method} ${what}`)))
  return (call, run) => {
    const settings = declared.declaredBy(call.client)
    return Effect.flatMap(
      provided(around(call, run, settings), context),
      (given): Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse> => {
        // `run` gives an object.
        if (!(given instanceof Foreign)) return Exit.succeed(given as Schema.JsonObject)
        const { resultType, value } = given
        const encode = encoders.get(resultType)
        if (encode === undefined || given.method !== method) {
          return refuse(`with a result of another method, ${resultType}`)
        }
        if (declared.client !== undefined && Option.isNone(settings)) {
          return refuse(`with the result ${resultType}, and the client has not declared the extension`)
        }
        if (!RevisionCodec.of(call.protocolVersion).features.resultType) {
          return refuse(`with the result ${resultType}, which the revision ${call.protocolVersion} cannot say`)
        }
        return Effect.matchEffect(encode(value), {
          onFailure: (error) => Exit.fail(ErrorResponse.internalError(error)),
          // The other side of the codec is JSON.
          onSuccess: (json) => Effect.map(objectOf(method, json as Schema.Json), (json) => ({ ...json, resultType }))
        })
      }
    )
  }
}

type Written = readonly [method: string, params: Schema.JsonObject, key: string | undefined]

/** The message of a notification. What its Schema refuses is a defect. */
const written = (declared: Declared, member: string, params: unknown): Effect.Effect<Written> => {
  const notification = declared.notifications.get(member)
  if (notification === undefined) return Effect.die(new TypeError(`${declared.identifier} has no ${member}`))
  const { codec, key, method } = notification
  const encoded = Effect.orDie<unknown, InvalidArguments, never>(codec.encodeParams(params))
  return Effect.flatMap(encoded, (json): Effect.Effect<Written> => {
    const message = isObject(json) ? json : {}
    if (key === undefined) return Effect.succeed([method, message, undefined])
    const value = message[key]
    return typeof value === "string"
      ? Effect.succeed([method, message, value])
      : Effect.die(new TypeError(`the param ${key} of ${method} is no string`))
  })
}

/** @internal */
export const notify = (declared: Declared, call: McpContext, member: string, params: unknown): Effect.Effect<void> =>
  declared.client !== undefined && Option.isNone(declared.declaredBy(call.client))
    ? Effect.void
    : Effect.flatMap(written(declared, member, params), ([method, params]) => call.notify(method, params))

/** @internal */
export const publish = (
  declared: Declared,
  server: ServerChanges,
  member: string,
  params: unknown
): Effect.Effect<void> =>
  Effect.flatMap(
    written(declared, member, params),
    ([method, params, key]) => server.extensionNotified({ extension: declared.identifier, method, params, key })
  )
