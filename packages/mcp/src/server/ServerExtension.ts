/**
 * An extension as a server serves it. `McpExtension` makes it from a declaration and its handlers.
 *
 * ```ts
 * import { McpExtension, McpServer } from "@parley/mcp"
 * import type { ServerExtension } from "@parley/mcp/server/ServerExtension"
 *
 * const Weather = McpExtension.make("com.example/weather", { server: {} })
 *
 * // `serve` of each extension makes one.
 * const extensions: ReadonlyArray<ServerExtension> = [Weather.serve({})]
 *
 * export const server = McpServer.layer({ name: "weather", version: "1.0.0", features: [], extensions })
 * ```
 *
 * @since 0.1.0
 */
import type { ErrorResponse } from "@parley/peer/ErrorResponse"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { McpContext } from "../McpContext.ts"
import type { CacheHint } from "../payload/Listing.ts"
import type { Era } from "../wire/Revision.ts"
import type { WireIssue } from "../wire/WireIssue.ts"
import type { AnyExtension, Feature } from "./Feature.ts"

/**
 * An extension with its handlers.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerExtension<out R = never> extends AnyExtension {
  /** The only era that has it; `undefined` where both do. */
  readonly era: Era | undefined
  /** The settings that the server declares; `undefined` where only clients declare the extension. */
  readonly settings: Schema.JsonObject | undefined
  /** Reads what a client declares of it; `undefined` where clients need not. */
  readonly readClient: ((declared: Schema.JsonObject) => WireIssue | undefined) | undefined
  /** Its methods, by their names on the wire. */
  readonly methods: ReadonlyMap<string, MethodRules>
  /** The topics that clients may listen to, by their keys in the filter of `subscriptions/listen`. */
  readonly topics: ReadonlyMap<string, Topic>
  /** The features that the server offers with it. */
  readonly features: ReadonlyArray<Feature<R>>
  /** Gives what serves it, with the services of a server. It is called once for each server. */
  readonly bind: (context: Context.Context<R>) => BoundExtension
}

/** The services that extensions require. @category models @since 0.1.0 */
export type ExtensionRequirements<X> = X extends ServerExtension<infer R> ? R : never

/**
 * The facts about a method beside its handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface MethodRules {
  /** The param that the header `Mcp-Name` repeats; `undefined` where requests have no such header. */
  readonly named: string | undefined
  /** For how long, and by whom, a result may be kept; `undefined` where it does not say. */
  readonly cache: CacheHint | undefined
}

/**
 * A topic that clients may listen to.
 *
 * @category models
 * @since 0.1.0
 */
export interface Topic {
  /** The notification, by its name on the wire. */
  readonly method: string
  /** The param whose values a client names; `undefined` where it asks for every notification of the topic. */
  readonly key: string | undefined
}

/**
 * Runs a request of the core, and gives the result of its feature as the revision writes it, still without `resultType`.
 * With another context, the handler asks that context, and not the client.
 *
 * @category models
 * @since 0.1.0
 */
export type Run = (as?: McpContext) => Effect.Effect<Schema.JsonObject, ErrorResponse>

/**
 * The handlers that serve an extension.
 *
 * @category models
 * @since 0.1.0
 */
export interface BoundExtension {
  /** The handlers of methods, by their names on the wire: from params to the result as JSON. */
  readonly methods: ReadonlyMap<
    string,
    (params: Schema.JsonObject, call: McpContext) => Effect.Effect<Schema.JsonObject, ErrorResponse>
  >
  /** The handlers of notifications, by their names on the wire. */
  readonly notifications: ReadonlyMap<string, (params: Schema.JsonObject, call: McpContext) => Effect.Effect<void>>
  /** The wrappers around the features that serve methods of the core, by the names of these. */
  readonly around: ReadonlyMap<string, (call: McpContext, run: Run) => Effect.Effect<Schema.JsonObject, ErrorResponse>>
  /** The values of a topic's key that a call may listen to. */
  readonly permitted: (topic: string, values: ReadonlyArray<string>, call: McpContext) => Effect.Effect<
    ReadonlyArray<string>
  >
}
