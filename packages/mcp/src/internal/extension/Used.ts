/**
 * The using side of an extension: what a client declares, hears, and makes of results; its calls of a server, and what it
 * listens to.
 */
import { InvalidArguments, RemoteError } from "@parley/peer/Caller"
import type * as Message from "@parley/protocol/Message"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import type { BoundClientExtension, ClientExtension, ReadResult, ResultCall } from "../../client/ClientExtension.ts"
import {
  InvalidResult,
  type McpAskedError,
  type McpCallError,
  UnsupportedCapability
} from "../../client/McpClientError.ts"
import type { Notified, Resumed, Subscribed } from "../../client/McpEvent.ts"
import type { MethodOptions, RequestOptions } from "../../client/RequestOptions.ts"
import type { McpClient } from "../../McpClient.ts"
import * as RevisionCodec from "../../wire/RevisionCodec.ts"
import * as WireIssue from "../../wire/WireIssue.ts"
import * as failures from "../client/negotiation/failures.ts"
import { isObject, omit, own } from "../Json.ts"
import type { Declared, DeclaredMethod, DeclaredNotification } from "./Declared.ts"
import { dropped } from "./dropped.ts"

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

/** A client whose calls are known by name only. */
interface AnyClient {
  readonly settings: unknown
  readonly calls: { readonly [member: string]: ReturnType<typeof calling> }
  readonly notify: { readonly [member: string]: ReturnType<typeof notifying> }
}

/** @internal */
export type AnyFilter = { readonly [topic: string]: ReadonlyArray<string> | true | undefined }

/** A notification whose params have a type that its declaration knows. */
interface AnyNotified {
  readonly _tag: "Notified"
  readonly notification: string
  readonly params: unknown
}

/** The extension, as a client declares it. @internal */
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
      onFailure: (error) => dropped(method, Cause.fail(error)),
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

/** The calls of a client to a server that declares the extension. @internal */
export const callsOf = (declared: Declared, client: McpClient): Effect.Effect<AnyClient, McpCallError> =>
  Effect.map(settingsOf(declared, client), (settings): AnyClient => {
    const calls: Record<string, AnyClient["calls"][string]> = Object.create(null)
    for (const [member, method] of declared.methods) calls[member] = calling(client, method)
    const notify: Record<string, AnyClient["notify"][string]> = Object.create(null)
    for (const [member, notification] of declared.heard) notify[member] = notifying(client, notification)
    return { settings, calls, notify }
  })

/** Listens to the topics of the extension. @internal */
export const listen = (
  declared: Declared,
  client: McpClient,
  filter: AnyFilter
): Stream.Stream<Subscribed | AnyNotified | Resumed, McpCallError> => {
  const { notifications, topics } = declared
  const wanted: Schema.JsonObject = Object.fromEntries(
    Object.entries(filter).flatMap(([topic, values]) => values === undefined ? [] : [[topic, values]])
  )
  const methods = new Set(Object.keys(wanted).flatMap((topic) => topics.get(topic)?.method ?? []))
  const members = [...notifications].filter(([, { method }]) => methods.has(method))
  const read = ({ method, params }: Notified): Effect.Effect<ReadonlyArray<AnyNotified>> => {
    const found = members.find(([, notification]) => notification.method === method)
    if (found === undefined) return Effect.succeed([])
    const [notification, { codec }] = found
    return Effect.matchEffect(codec.decodeParams(params), {
      onFailure: (error) => Effect.as(dropped(method, Cause.fail(error)), []),
      onSuccess: (params) => Effect.succeed([{ _tag: "Notified", notification, params }])
    })
  }
  return Stream.unwrap(Effect.map(settingsOf(declared, client), () =>
    client.listen(wanted, [...methods]).pipe(
      Stream.mapEffect((event): Effect.Effect<ReadonlyArray<Subscribed | AnyNotified | Resumed>> =>
        event._tag === "Notified" ? read(event) : Effect.succeed([event])
      ),
      Stream.flattenIterable
    )))
}

const settingsOf = (declared: Declared, client: McpClient): Effect.Effect<unknown, McpCallError> => {
  const { identifier, methods, server } = declared
  if (server === undefined) return Effect.succeed({})
  const asked = client.capabilities === undefined ? Effect.asVoid(client.discover) : Effect.void
  return Effect.flatMap(asked, (): Effect.Effect<unknown, McpCallError> => {
    const json = own(client.capabilities?.extensions ?? {}, identifier)
    const [first] = methods.values()
    if (json === undefined || !isSpoken(declared, client)) {
      return Effect.fail(
        new UnsupportedCapability({ method: first?.method ?? identifier, capability: `extensions.${identifier}` })
      )
    }
    return Effect.fromResult(Result.mapError(server.decode(json), ({ issues: [first], message }) =>
      new InvalidResult({
        method: "server/discover",
        path: ["capabilities", "extensions", identifier, ...(first?.path ?? [])],
        rule: first?.message ?? message
      })))
  })
}

const isSpoken = ({ era }: Declared, client: McpClient): boolean =>
  era === undefined || RevisionCodec.of(client.protocolVersion).era === era

const calling = (client: McpClient, { codec, method, named, timeout }: DeclaredMethod) => {
  const settle = {
    onSuccess: (json: Schema.Json): Effect.Effect<unknown, McpCallError> => {
      // A result says what kind it is; the client of the core has taken nothing from it.
      const result = RevisionCodec.of(client.protocolVersion).decode.emptyResult(json)
      if (Result.isFailure(result)) return Exit.fail(failures.fromIssue(method, result.failure))
      return Effect.mapError(
        codec.decodeResult(result.success),
        ({ issue }) => new InvalidResult({ method, path: [], rule: issue })
      )
    },
    onFailure: (error: McpCallError): Effect.Effect<never, unknown> => {
      if (error._tag !== "ProtocolError") return Exit.fail(error)
      const { code, data, id, text } = error
      const remote = new RemoteError({
        method,
        code,
        text,
        ...(id !== undefined && { id }),
        ...(data !== undefined && { data })
      })
      return Effect.flatMap(codec.decodeError(remote), (typed) => Exit.fail(typed === remote ? error : typed))
    }
  }
  return (params: unknown, options?: RequestOptions) =>
    Effect.flatMapEager(codec.encodeParams(params), (json) => {
      if (json !== undefined && !isObject(json)) return refused(method)
      return Effect.matchEffect(client.request(method, json, optionsOf(json, named, timeout, options)), settle)
    })
}

const notifying = (client: McpClient, { codec, method }: DeclaredNotification) => (params: unknown) =>
  Effect.flatMapEager(
    codec.encodeParams(params),
    (json): Effect.Effect<void, McpCallError> =>
      json !== undefined && !isObject(json) ? refused(method) : client.notify(method, json)
  )

const refused = (method: string) =>
  Exit.fail(new InvalidArguments({ method, cause: new TypeError("the params of the protocol are an object") }))

const optionsOf = (
  params: Schema.JsonObject | undefined,
  named: string | undefined,
  timeout: DeclaredMethod["timeout"],
  options: RequestOptions | undefined
): MethodOptions => {
  const name = named === undefined ? undefined : params?.[named]
  return { timeout, ...options, ...(typeof name === "string" && { name }) }
}
