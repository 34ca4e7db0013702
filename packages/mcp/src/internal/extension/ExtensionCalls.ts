/**
 * The calls of a client to a server that declares an extension, and what the client listens to.
 */
import { InvalidArguments, RemoteError } from "@parley/peer/CallerError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { InvalidResult, type McpCallError, UnsupportedCapability } from "../../client/McpClientError.ts"
import type { Notified, Resumed, Subscribed } from "../../client/McpEvent.ts"
import type { MethodOptions, RequestOptions } from "../../client/RequestOptions.ts"
import type { McpClient } from "../../McpClient.ts"
import * as RevisionCodec from "../../wire/RevisionCodec.ts"
import * as failures from "../client/negotiation/failures.ts"
import { isObject, own } from "../Json.ts"
import { type Declared, type DeclaredMethod, type DeclaredNotification, dropped } from "./Declared.ts"

/** A client whose calls are known by name only. @internal */
export interface AnyClient {
  readonly settings: unknown
  readonly calls: { readonly [member: string]: ReturnType<typeof calling> }
  readonly notify: { readonly [member: string]: ReturnType<typeof notifying> }
}

/** @internal */
export const make = (declared: Declared, client: McpClient): Effect.Effect<AnyClient, McpCallError> =>
  Effect.map(settingsOf(declared, client), (settings): AnyClient => {
    const calls: Record<string, AnyClient["calls"][string]> = Object.create(null)
    for (const [member, method] of declared.methods) calls[member] = calling(client, method)
    const notify: Record<string, AnyClient["notify"][string]> = Object.create(null)
    for (const [member, notification] of declared.heard) notify[member] = notifying(client, notification)
    return { settings, calls, notify }
  })

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
  era === undefined || RevisionCodec.of(client.revision).era === era

const calling = (client: McpClient, { codec, method, named, timeout }: DeclaredMethod) => {
  const settle = {
    onSuccess: (json: Schema.Json): Effect.Effect<unknown, McpCallError> => {
      // A result says what kind it is; the client of the core has taken nothing from it.
      const result = RevisionCodec.of(client.revision).decode.emptyResult(json)
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

/** @internal */
export type AnyFilter = { readonly [topic: string]: ReadonlyArray<string> | true | undefined }

/** A notification whose params have a type that its declaration knows. @internal */
export interface AnyNotified {
  readonly _tag: "Notified"
  readonly notification: string
  readonly params: unknown
}

/** @internal */
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
      onFailure: (error) => Effect.as(dropped(method, error), []),
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
