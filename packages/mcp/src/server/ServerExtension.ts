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
import type { Feature } from "./Feature.ts"
import type { ServedExtension } from "./ToolExtension.ts"

export type { BoundExtension, MethodRules, Run, Topic } from "./ToolExtension.ts"

/**
 * An extension with its handlers.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerExtension<out R = never> extends ServedExtension<R> {
  /** The features that the server offers with it. */
  readonly features: ReadonlyArray<Feature<R>>
}

/** The services that extensions require. @category models @since 0.1.0 */
export type ExtensionRequirements<X> = X extends ServerExtension<infer R> ? R : never
