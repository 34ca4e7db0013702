/**
 * An extension as a client uses it. `McpExtension` makes it from a declaration and its handlers.
 *
 * ```ts
 * import { McpExtension, McpClient } from "@parley/mcp"
 * import type { ClientExtension } from "@parley/mcp/client/ClientExtension"
 *
 * const Weather = McpExtension.make("com.example/weather", { client: {} })
 *
 * // `use` of each extension makes one.
 * const extensions: ReadonlyArray<ClientExtension> = [Weather.use()]
 *
 * export const client = McpClient.layer({ name: "host", version: "1.0.0", extensions })
 * ```
 *
 * @since 0.1.0
 */
import type * as Message from "@parley/protocol/Message"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { InputRequest } from "../payload/Results.ts"
import type { Era } from "../wire/Revision.ts"
import type { InputRefused, McpAskedError, McpCallError } from "./McpClientError.ts"
import type { MethodOptions, RequestOptions } from "./RequestOptions.ts"

/**
 * An extension with its handlers.
 *
 * @category models
 * @since 0.1.0
 */
export interface ClientExtension<out R = never> {
  readonly _tag: "McpClientExtension"
  /** The identifier of the extension. */
  readonly identifier: string
  /** The only era that has it; `undefined` where both do. */
  readonly era: Era | undefined
  /** The settings that the client declares; `undefined` where only servers declare the extension. */
  readonly settings: Schema.JsonObject | undefined
  /** The notifications of servers, by their names on the wire. */
  readonly notifications: ReadonlySet<string>
  /** Gives what handles them, with the services of a client. It is called once for each client. */
  readonly bind: (context: Context.Context<R>) => BoundClientExtension
}

/** The services that extensions require. @category models @since 0.1.0 */
export type ExtensionRequirements<X> = X extends ClientExtension<infer R> ? R : never

/**
 * The handlers of an extension.
 *
 * @category models
 * @since 0.1.0
 */
export interface BoundClientExtension {
  /** The handlers of notifications, by their names on the wire. */
  readonly hear: ReadonlyMap<string, (params: Message.Params | undefined) => Effect.Effect<void>>
  /** The readers of results, by the method of the core and the `resultType`. */
  readonly results: ReadonlyMap<string, ReadonlyMap<string, ReadResult>>
}

/**
 * Turns a result of the extension into the result that a caller waits for, as JSON.
 *
 * @category models
 * @since 0.1.0
 */
export type ReadResult = (json: Schema.JsonObject, call: ResultCall) => Effect.Effect<Schema.Json, McpAskedError>

/**
 * A call that was answered with a result of an extension, for the reader of that result.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResultCall {
  /** The method that was called, such as `tools/call`. */
  readonly method: string
  /** The params of the call. */
  readonly params: Schema.JsonObject
  /** The options of the call. */
  readonly options: RequestOptions | undefined
  /** Sends a request, as `McpClient.request` does. */
  readonly request: (
    method: string,
    params?: Schema.JsonObject,
    options?: MethodOptions
  ) => Effect.Effect<Schema.Json, McpCallError>
  /** Answers what the server asks, with the handlers of the client: the answers, by the keys of the questions. */
  readonly answer: (
    questions: { readonly [key: string]: InputRequest }
  ) => Effect.Effect<Schema.JsonObject, InputRefused>
}
