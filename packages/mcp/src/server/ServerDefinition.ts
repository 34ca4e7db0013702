/**
 * The options of a server, and the operations of one that is made.
 *
 * `McpServer` makes servers and serves connections with them.
 *
 * ```ts
 * import { McpTool } from "@parley/mcp"
 * import { McpServer, type ServerOptions } from "@parley/mcp/server/ServerDefinition"
 * import { Effect } from "effect"
 *
 * export const options: ServerOptions = { name: "clock", version: "1.0.0", features: [], pageSize: 100, metrics: true }
 *
 * // Offers a tool for as long as some work lasts.
 * export const during = <A, E, R>(work: Effect.Effect<A, E, R>) =>
 *   Effect.gen(function*() {
 *     const { add } = yield* McpServer
 *     yield* add([McpTool.make("pause", { description: "Pauses the work." }, () => Effect.succeed("paused"))])
 *     return yield* work
 *   }).pipe(Effect.scoped)
 * ```
 *
 * @since 0.1.0
 */
import type { Mesh, Overloaded } from "@parley/mesh/Mesh"
import type * as SealedState from "@parley/oauth/SealedState"
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type { Middleware } from "@parley/peer/Handler"
import type * as Limits from "@parley/protocol/Limits"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Implementation, ServerCapabilities } from "../payload/Capabilities.ts"
import type { Icon } from "../payload/Content.ts"
import type { CacheHint } from "../payload/Listing.ts"
import type { Era, Revision } from "../wire/Revision.ts"
import type { Alone, AloneOptions, Connection, ConnectOptions } from "./Connection.ts"
import type { Feature, Requirements, Visible } from "./Feature.ts"
import type { FeatureSource, MountOptions } from "./FeatureSource.ts"
import type { ServerChanges } from "./ServerChanges.ts"
import type { ServerExtension } from "./ServerExtension.ts"

export type { AnyFeature, Feature, Requirements, Visible } from "./Feature.ts"

/**
 * The options of a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerOptions<
  F extends Feature<unknown> = Feature,
  R2 = never,
  R3 = never,
  X extends ServerExtension<unknown> = ServerExtension
> {
  /** The name of the server, for programs. Nodes of a mesh whose servers have the same name share sessions. */
  readonly name: string
  /** The version of the server. */
  readonly version: string
  /** The name that people are shown. */
  readonly title?: string | undefined
  /** A sentence on the server, for people. */
  readonly description?: string | undefined
  /** A page about the server. */
  readonly websiteUrl?: string | undefined
  /** Pictures of the server that clients may show. */
  readonly icons?: ReadonlyArray<Icon> | undefined
  /**
   * Instructions for the model of a client, which it should read before it uses the server. A function is asked each
   * time.
   */
  readonly instructions?: string | (() => string | undefined) | undefined
  /**
   * What clients are told of the server in place of `name`, `version` and the other members above, asked each time: for a
   * server that stands for another one, which it may not have reached yet. `undefined` leaves it at those.
   */
  readonly identity?: (() => Implementation | undefined) | undefined
  /** The tools, resources and prompts, in the order in which they are listed. Two of one kind with one name are a defect. */
  readonly features: ReadonlyArray<F>
  /**
   * The services of principals that handlers read: `call.auth.get(User)`. An HTTP endpoint whose `authorize` declares no
   * Schema of one does not open. To read another one is a defect.
   */
  readonly principals?: ReadonlyArray<Context.Key<unknown, unknown>> | undefined
  /** The extensions that are served, each made by `serve` of its `McpExtension`. Two with one name are a defect. */
  readonly extensions?: ReadonlyArray<X> | undefined
  /**
   * The most entries of one page of a list. The default is 1,000: many clients read only the first page. Less than one is
   * a defect.
   */
  readonly pageSize?: number | undefined
  /**
   * Tells whether a call may see a feature. By default every call sees all. A feature that a call may not see is not
   * listed for it, and calling it fails as if it did not exist.
   */
  readonly visible?: Visible<R2> | undefined
  /**
   * Whether lists have only the features whose `scopes` the caller has. By default they have every visible one, so that a
   * client learns which scopes it could ask a person for.
   */
  readonly listOnlyPermitted?: boolean | undefined
  /**
   * For how long lists may be kept, and by whom. By default they may not be kept. Their scope is `public`, or `private` where
   * `visible` or `listOnlyPermitted` makes them differ between callers. Resources without a hint of their own get the same time, and
   * the scope `private`.
   */
  readonly cache?: Partial<CacheHint> | undefined
  /** The revisions that the server speaks. All, by default. */
  readonly protocolVersions?: ReadonlyArray<Revision> | undefined
  /** Wraps the handling of every request, as middleware of a peer does. */
  readonly middleware?: Middleware<ErrorResponse, R3> | undefined
  /** Capabilities that are declared beside those of the features: for features that are added later. */
  readonly capabilities?: ServerCapabilities | undefined
  /** The keys and bounds by which the state of a call is sealed while its client is asked, in the modern era. */
  readonly requestState?: SealedState.SealedStateOptions | undefined
  /** The most resources that one connection, or one stream of changes, hears of. The default is 1,024. */
  readonly subscriptions?: number | undefined
  /** How long a legacy client may take to answer a question. The default is 10 minutes. */
  readonly askTimeout?: Duration.Input | undefined
  /**
   * Records `mcp.server.operation.duration` of what clients ask, `mcp.client.operation.duration` of what the server asks
   * its clients, and `mcp.server.session.duration`. `false` by default. Spans need no option: they follow the tracer.
   */
  readonly metrics?: boolean | undefined
}

/**
 * A server.
 *
 * @category services
 * @since 0.1.0
 */
export interface McpServer extends ServerChanges, FeatureSource {
  /** The name and version of the server, and what people may be shown of it. */
  readonly info: Implementation
  /** The keys of the services that its handlers read of their callers, also those of mounted servers. */
  readonly principals: () => ReadonlySet<string>
  /** The revisions that are spoken, the newest first. */
  readonly protocolVersions: ReadonlyArray<Revision>
  /** The param of an extension's method that the header `Mcp-Name` repeats; `undefined` where there is none. */
  readonly namedParam: (method: string) => string | undefined
  /** Tells whether an extension hears a notification of clients of an era. */
  readonly hears: (method: string, era: Era) => boolean

  /** Starts a connection or a session. Only the streams of changes of its client have to be released, by `close`. */
  readonly connect: (options?: ConnectOptions | undefined) => Connection

  /** Serves one message that stands alone: one of the modern era, or of a legacy client without a session. */
  readonly alone: (options: AloneOptions) => Alone

  /**
   * Offers more features until the Scope closes, and tells the clients that listen. The services that their handlers require
   * come from this effect. A name that is taken is a defect.
   */
  readonly add: <F extends Feature<unknown> = never>(
    features: ReadonlyArray<F>
  ) => Effect.Effect<void, never, Requirements<F> | Scope.Scope>

  /**
   * Offers the features of a source, such as another server, after its own until the Scope closes, and tells the clients that
   * listen. `visible` and scopes of a mounted server hold here, too; its `middleware` does not. Of two features with one name
   * or URI, the earlier one is offered, and the log names the other.
   */
  readonly mount: (source: FeatureSource, options?: MountOptions) => Effect.Effect<void, never, Scope.Scope>

  /**
   * Shares changes with the other nodes of a mesh until the Scope closes: clients of each node hear of the changes of all
   * nodes whose servers have the same name and share, too. `McpHttp` does this where it has a `Mesh`. Changes by `add` stay
   * on this node, because each node has features of its own.
   */
  readonly share: (mesh: Mesh) => Effect.Effect<void, Overloaded, Scope.Scope>
}

/** The service of a `McpServer`. @category services @since 0.1.0 */
export const McpServer: Context.Service<McpServer, McpServer> = Context.Service("@parley/mcp/McpServer")

/**
 * The options of `serve` and `listen`.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServeOptions {
  /** Bounds that differ from `Limits.defaults`. */
  readonly limits?: Partial<Limits.Limits> | undefined
  /**
   * The facts about the caller of a connection that no message tells. The handshake tells those that are not given. Without
   * one, the client at the other end of the only connection, as over stdio, has all scopes.
   */
  readonly caller?: ConnectOptions["caller"]
  /** The carrier of the messages, for spans and metrics. `serve` takes it for stdio. */
  readonly network?: ConnectOptions["network"]
  /**
   * The time between the last progress of a call and its result, so that a client does not read both in one chunk: clients of
   * the official SDK would lose the progress. The default is 10 milliseconds.
   */
  readonly progressGap?: Duration.Input | undefined
}
