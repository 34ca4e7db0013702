/**
 * The options of every request of a client, and the progress that one may hear of.
 *
 * ```ts
 * import { McpClient } from "@parley/mcp"
 * import type { RequestOptions } from "@parley/mcp/client/RequestOptions"
 * import { Effect } from "effect"
 *
 * const patient: RequestOptions = {
 *   timeout: "1 minute",
 *   maxTimeout: "1 hour",
 *   onProgress: ({ progress, total }) => console.error(`${progress} of ${total ?? "?"}`)
 * }
 *
 * export const index = Effect.flatMap(
 *   McpClient.McpClient,
 *   (client) => client.callTool("index", { folder: "/srv" }, patient)
 * )
 * ```
 *
 * @since 0.1.0
 */
import type * as Duration from "effect/Duration"
import type * as Schema from "effect/Schema"
import type { Progress } from "../payload/Requests.ts"

export type { Progress } from "../payload/Requests.ts"

/**
 * The options of every request.
 *
 * @category models
 * @since 0.1.0
 */
export interface RequestOptions {
  /** How long to wait without progress, instead of the client's default. */
  readonly timeout?: Duration.Input | undefined
  /** How long to wait however much progress there is, instead of the client's default. */
  readonly maxTimeout?: Duration.Input | undefined
  /**
   * Takes the progress of the call, in order and before its result. Where it is a task whose server reports none, it takes
   * the status messages, and `progress` counts them. It runs in the receive loop: keep it short.
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Members of `_meta` beside those of the protocol. */
  readonly meta?: Schema.JsonObject | undefined
  /**
   * Keeps the text of the result for a server that passes it on, such as a gateway: where a member of the result that is an
   * object or array goes into a result of that server as it is, its text goes on. A result in which an object has two
   * members of one name is refused.
   */
  readonly keepText?: boolean | undefined
}

/**
 * The options of a request of any method.
 *
 * @category models
 * @since 0.1.0
 */
export interface MethodOptions extends RequestOptions {
  /** The value of the header `Mcp-Name` over HTTP, where the method is of an extension that has this header. */
  readonly name?: string | undefined
}

/**
 * An option that an extension reads of a call of a tool.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOption {
  /** The identifier of the extension. */
  readonly extension: string
  /** The value of the option, for the extension. */
  readonly value: unknown
}

/**
 * The options of a call of a tool, with a Schema for its arguments.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolOptions<P = Schema.JsonObject> extends RequestOptions {
  /** Encodes the arguments. Without it they are JSON. */
  readonly params?: Schema.Codec<P, unknown> | undefined
  /** The options of extensions, such as `TaskClient.call` of `@parley/mcp-tasks`. */
  readonly extensions?: ReadonlyArray<CallOption> | undefined
}
