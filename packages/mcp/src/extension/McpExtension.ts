/**
 * Extensions of the protocol: what a server and a client may have beyond the core, declared once for both sides.
 *
 * An extension is a value with an identifier and a declaration: the settings of each side, the methods of servers, the
 * notifications that clients hear, and the kinds of results that it adds to requests of the core. From it come what a
 * server serves, what a client uses, and the typed calls between them.
 *
 * If the declaration leaves out a side, that side does not declare the extension, and the other side does not require it.
 *
 * ```ts run
 * import { Method } from "@parley/contract"
 * import { McpExtension, McpMemoryClient, McpServer } from "@parley/mcp"
 * import { Effect, Schema } from "effect"
 *
 * const Reading = Schema.Struct({ degrees: Schema.Finite })
 * const at = Method.make({ method: "weather/at", params: { city: Schema.String }, result: Reading })
 * const Weather = McpExtension.make("com.example/weather", { server: { methods: { at } } })
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpMemoryClient.make({ name: "me", version: "1.0.0" })
 *   const { calls } = yield* Weather.client(client)
 *   console.log(yield* calls.at({ city: "Oslo" })) // => { degrees: -3 }
 * })
 *
 * const extensions = [Weather.serve({ handlers: { at: () => Effect.succeed({ degrees: -3 }) } })]
 * const server = McpServer.layer({ name: "weather", version: "1.0.0", features: [], extensions })
 * await program.pipe(Effect.scoped, Effect.provide(server), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import type * as Method from "@parley/contract/Method"
import type * as Notification from "@parley/contract/Notification"
import type { Params } from "@parley/contract/shared"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ClientExtension, ResultCall } from "../client/ClientExtension.ts"
import type { McpAskedError, McpCallError } from "../client/McpClientError.ts"
import type { Resumed, Subscribed } from "../client/McpEvent.ts"
import type { RequestOptions } from "../client/RequestOptions.ts"
import type { CoreMethod, Declaration } from "../internal/extension/Declaration.ts"
import * as Declared from "../internal/extension/Declared.ts"
import * as Served from "../internal/extension/Served.ts"
import * as Used from "../internal/extension/Used.ts"
import type { McpClient } from "../McpClient.ts"
import type { Client, McpContext } from "../McpContext.ts"
import type { CacheHint } from "../payload/Listing.ts"
import type { Feature, Requirements } from "../server/Feature.ts"
import type { ServerChanges } from "../server/ServerChanges.ts"
import type { Run, ServerExtension } from "../server/ServerExtension.ts"

export type { ClientExtension, ResultCall } from "../client/ClientExtension.ts"
export type { CoreMethod, Declaration } from "../internal/extension/Declaration.ts"
export type { Run, ServerExtension } from "../server/ServerExtension.ts"

type MethodsOf<D> = D extends { readonly server: { readonly methods: infer M } } ? M : {}

type NotificationsOf<D> = D extends { readonly client: { readonly notifications: infer N } } ? N : {}

type HeardOf<D> = D extends { readonly server: { readonly notifications: infer N } } ? N : {}

type TopicsOf<D> = D extends { readonly client: { readonly topics: infer T } } ? T : {}

type ResultsOf<D> = D extends { readonly results: infer R } ? R : {}

/** The settings that a server declares. @category models @since 0.1.0 */
export type ServerSettings<D> = D extends { readonly server: { readonly settings: infer S extends Params.Fields } }
  ? Schema.Struct.Type<S>
  : {}

/** The settings that a client declares. @category models @since 0.1.0 */
export type ClientSettings<D> = D extends { readonly client: { readonly settings: infer S extends Params.Fields } }
  ? Schema.Struct.Type<S>
  : {}

/**
 * The handlers of the methods: functions of the params and the call. They cannot ask the client anything: the protocol
 * has questions only inside results of the core.
 *
 * @category models
 * @since 0.1.0
 */
export type Handlers<D> = {
  readonly [K in keyof MethodsOf<D>]: MethodsOf<D>[K] extends Method.Method<infer P, infer R, infer E, infer _Part>
    ? (params: Params.Type<P>, call: McpContext) => Effect.Effect<
      Method.ResultOf<R>,
      Method.ErrorOf<E> | ErrorResponse,
      unknown
    >
    : never
}

/** The handlers that a client has for the notifications of servers; each takes the params. @category models @since 0.1.0 */
export type Hearers<D> = {
  readonly [K in keyof NotificationsOf<D>]?: (params: NotificationParams<D, K>) => Effect.Effect<void, never, unknown>
}

/** The handlers that a server has for the notifications of clients. @category models @since 0.1.0 */
export type ServerHearers<D> = {
  readonly [K in keyof HeardOf<D>]?: (
    params: HeardParams<D, K>,
    call: McpContext
  ) => Effect.Effect<void, never, unknown>
}

/** The params of a notification that servers hear. @category models @since 0.1.0 */
export type HeardParams<D, K extends keyof HeardOf<D>> = HeardOf<D>[K] extends Notification.Notification<infer P>
  ? Params.Type<P>
  : never

/** The params of a notification. @category models @since 0.1.0 */
export type NotificationParams<D, K extends keyof NotificationsOf<D>> = NotificationsOf<D>[K] extends
  Notification.Notification<infer P> ? Params.Type<P> : never

/**
 * A wrapper around the features of a server: it is given the call, the effect that runs it, and the settings that the
 * client has declared, and gives the result of `run`, or one that the extension adds.
 *
 * @category models
 * @since 0.1.0
 */
export type Around<D> = {
  readonly [M in CoreMethod]?: (
    call: McpContext,
    run: Run,
    declared: Option.Option<ClientSettings<D>>
  ) => Effect.Effect<Schema.JsonObject | ExtensionResult<D, M>, ErrorResponse, unknown>
}

/**
 * A result that an extension adds to a method of the core: `result` of the extension makes it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExtensionResult<in out D, in out M> {
  readonly _: "@parley/mcp/ExtensionResult"
  readonly of: (_: readonly [D, M]) => readonly [D, M]
}

/** Makes the final result, as JSON, of one that an extension has added. @category models @since 0.1.0 */
export type Readers<D> = {
  readonly [M in keyof ResultsOf<D>]?: {
    readonly [T in keyof ResultsOf<D>[M]]?: (
      value: ResultValue<D, M, T>,
      call: ResultCall
    ) => Effect.Effect<Schema.Json, McpAskedError, unknown>
  }
}

/** The value of a result that an extension adds. @category models @since 0.1.0 */
export type ResultValue<D, M extends keyof ResultsOf<D>, T extends keyof ResultsOf<D>[M]> = ResultsOf<D>[M][T] extends
  Params.Codec ? ResultsOf<D>[M][T]["Type"] : never

/** The services that functions require, by any names, without the Scope of their calls; none where no function is given. */
type Services<H> = {
  readonly [K in keyof H]-?: H[K] extends ((...args: never) => Effect.Effect<infer _A, infer _E, infer R>) | undefined
    ? unknown extends R ? never : Exclude<R, Scope.Scope>
    : never
}[keyof H]

type ReaderServices<X> = { readonly [M in keyof X]-?: Services<X[M]> }[keyof X]

type SettingsOption<S> = {} extends S ? { readonly settings?: S | undefined } : { readonly settings: S }

type HandlersOption<H, M> = [keyof M] extends [never] ? { readonly handlers?: undefined }
  : { readonly handlers: Known<H, M> }

/** Handlers of declared members only. */
type Known<H, M> = H & { readonly [K in Exclude<keyof H, keyof M>]: never }

/**
 * The options of `serve`.
 *
 * @category models
 * @since 0.1.0
 */
export type ServeOptions<D, H, A, F extends Feature<unknown>, R, L> =
  & SettingsOption<ServerSettings<D>>
  & HandlersOption<H, MethodsOf<D>>
  & {
    /** Handlers of notifications. Those that come without one are dropped. */
    readonly hearers?: Known<L, HeardOf<D>> | undefined
    /** The scopes that a call of any of its methods needs, all of them, and that its notifications are heard with. */
    readonly scopes?: ReadonlyArray<string> | undefined
    /** For how long, and by whom, the results of methods may be kept. Those of others do not say. */
    readonly cache?: { readonly [K in keyof MethodsOf<D>]?: CacheHint } | undefined
    /** The features that the server offers with it. */
    readonly features?: ReadonlyArray<F> | undefined
    /** Wrappers around the features that serve requests of the core, by the method. */
    readonly around?: A | undefined
    /** The values of a topic's key that a call may listen to. All, by default. */
    readonly permitted?:
      | ((
        topic: keyof TopicsOf<D> & string,
        values: ReadonlyArray<string>,
        call: McpContext
      ) => Effect.Effect<ReadonlyArray<string>, never, R>)
      | undefined
  }

/**
 * The options of `use`.
 *
 * @category models
 * @since 0.1.0
 */
export type UseOptions<D, H, X> = SettingsOption<ClientSettings<D>> & {
  /** Handlers of notifications, in the order in which these come. The next one waits for a handler. */
  readonly handlers?: Known<H, NotificationsOf<D>> | undefined
  /** The readers of results that the extension adds. Without a reader, such a result is invalid. */
  readonly results?: X | undefined
}

/**
 * The typed calls of a client to a server that declares the extension.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExtensionClient<D> {
  /** The settings that the server declares. */
  readonly settings: ServerSettings<D>
  /** The methods of the server, each as a function of its params. */
  readonly calls: {
    readonly [K in keyof MethodsOf<D>]: MethodsOf<D>[K] extends Method.Method<infer P, infer R, infer E, infer _Part>
      ? (params: Params.Type<P>, options?: RequestOptions) => Effect.Effect<
        Method.ResultOf<R>,
        Method.ErrorOf<E> | McpCallError
      >
      : never
  }
  /** Sends the notifications that servers hear. */
  readonly notify: {
    readonly [K in keyof HeardOf<D>]: (params: HeardParams<D, K>) => Effect.Effect<void, McpCallError>
  }
}

/** The topics that a client listens to: the values of their keys, or `true`. @category models @since 0.1.0 */
export type Filter<D> = {
  readonly [T in keyof TopicsOf<D>]?: TopicsOf<D>[T] extends { readonly key: string } ? ReadonlyArray<string> : true
}

/** A notification that a client listens to. @category models @since 0.1.0 */
export type Notified<D> = {
  readonly [K in keyof NotificationsOf<D>]: {
    readonly _tag: "Notified"
    readonly notification: K
    readonly params: NotificationParams<D, K>
  }
}[keyof NotificationsOf<D>]

/**
 * An extension.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpExtension<D extends Declaration> {
  /** The identifier, such as `com.example/weather`. */
  readonly identifier: string
  /** The declaration that it was made from. */
  readonly declaration: D

  /** Serves the extension: the result is for the `extensions` of a server. */
  readonly serve: <
    const H extends Handlers<D> = Handlers<D>,
    const A extends Around<D> = Around<D>,
    F extends Feature<unknown> = never,
    R = never,
    const L extends ServerHearers<D> = ServerHearers<D>
  >(
    options: ServeOptions<D, H, A, F, R, L>
  ) => ServerExtension<Services<H> | Services<A> | Services<L> | Requirements<F> | Exclude<R, Scope.Scope>>

  /** Uses the extension: the result is for the `extensions` of a client. */
  readonly use: <const H extends Hearers<D> = Hearers<D>, const X extends Readers<D> = Readers<D>>(
    ...options: {} extends ClientSettings<D> ? [options?: UseOptions<D, H, X>] : [options: UseOptions<D, H, X>]
  ) => ClientExtension<Services<H> | ReaderServices<X>>

  /**
   * The typed calls over a client. It fails with `UnsupportedCapability` where the server does not declare the extension;
   * a server that was not asked yet, as with a pinned modern revision, is asked first.
   */
  readonly client: (client: McpClient) => Effect.Effect<ExtensionClient<D>, McpCallError>

  /** The settings that the client of a call has declared; none where it has not, or where they do not fit. */
  readonly declaredBy: (client: Pick<Client, "capabilities">) => Option.Option<ClientSettings<D>>

  /** A result in place of the method's own, for `around`. */
  readonly result: <M extends keyof ResultsOf<D> & CoreMethod, T extends keyof ResultsOf<D>[M] & string>(
    method: M,
    resultType: T,
    value: ResultValue<D, M, T>
  ) => ExtensionResult<D, M>

  /** Sends a notification on the stream of a call, where its client has declared the extension. */
  readonly notify: <K extends keyof NotificationsOf<D>>(
    call: McpContext,
    notification: K,
    params: NotificationParams<D, K>
  ) => Effect.Effect<void>

  /**
   * Sends a notification to the clients that listen to its topic: `server` is the server, or that of a call. In the legacy
   * era, where nobody names what to listen to, those of a topic without a key go to every session of a client that has
   * declared the extension.
   */
  readonly publish: <K extends keyof NotificationsOf<D>>(
    server: ServerChanges,
    notification: K,
    params: NotificationParams<D, K>
  ) => Effect.Effect<void>

  /**
   * Listens to topics while the stream runs. The client must `use` the extension. Where the stream of the server ends, the
   * client listens again, and the stream gives `Resumed`.
   */
  readonly listen: (
    client: McpClient,
    filter: Filter<D>
  ) => Stream.Stream<Subscribed | Notified<D> | Resumed, McpCallError>
}

/**
 * An extension of this identifier, such as `com.example/weather`: a domain that its author owns, reversed, and a name.
 * Partial: throws where the identifier breaks the rules of the specification, where a topic names a notification or a
 * param that there is not, and for methods that no protocol can have.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <const D extends Declaration>(identifier: string, declaration: D): McpExtension<D> => {
  const declared = Declared.make(identifier, declaration)
  const extension = {
    identifier,
    declaration,
    serve: (options: Served.Options) => Served.make(declared, options),
    use: (options: Used.Options = {}) => Used.make(declared, options),
    client: (client: McpClient) => Used.callsOf(declared, client),
    declaredBy: declared.declaredBy,
    result: Served.result,
    notify: (call: McpContext, notification: string, params: unknown) =>
      Served.notify(declared, call, notification, params),
    publish: (server: ServerChanges, notification: string, params: unknown) =>
      Served.publish(declared, server, notification, params),
    listen: (client: McpClient, filter: Used.AnyFilter) => Used.listen(declared, client, filter)
  }
  // The parts know members without their types; the types of the extension are those of its declaration.
  return extension as unknown as McpExtension<D>
}
