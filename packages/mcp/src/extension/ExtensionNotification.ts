/**
 * A notification of an extension, on its way to the clients that listen.
 *
 * ```ts
 * import { McpServer } from "@parley/mcp"
 * import type { ExtensionNotification } from "@parley/mcp/extension/ExtensionNotification"
 * import { Effect } from "effect"
 *
 * const storm: ExtensionNotification = {
 *   extension: "com.example/weather",
 *   method: "notifications/storm",
 *   params: { city: "Oslo" },
 *   key: "Oslo"
 * }
 *
 * // `publish` of an `McpExtension` writes such a notification from typed params.
 * export const warn = Effect.flatMap(McpServer.McpServer, (server) => server.extensionNotified(storm))
 * ```
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"

/**
 * A notification of an extension for the clients that listen to it.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExtensionNotification {
  /** The identifier of the extension. */
  readonly extension: string
  /** The notification, by its name on the wire. */
  readonly method: string
  /** The params, as JSON. */
  readonly params: Schema.JsonObject
  /** The value of the key of its topic; `undefined` where the topic has none. A newer one replaces an older one of it. */
  readonly key?: string | undefined
}
