/**
 * The things that a server offers, and what may be known of them.
 *
 * ```ts
 * import { McpServer, McpTool } from "@parley/mcp"
 * import type { Visible } from "@parley/mcp/server/Feature"
 * import { Effect } from "effect"
 *
 * // Hides every tool that is not read-only from callers without a name.
 * const visible: Visible = (feature, { principal }) =>
 *   feature._tag !== "McpTool" || feature.info.annotations?.readOnlyHint === true || principal !== undefined
 *
 * const remove = McpTool.make("remove", { description: "Removes a file." }, () => Effect.succeed("gone"))
 *
 * export const server = McpServer.layer({ name: "files", version: "1.0.0", features: [remove], visible })
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { McpContext } from "../McpContext.ts"
import type { McpPrompt } from "../McpPrompt.ts"
import type { McpResource, McpResourceTemplate } from "../McpResource.ts"
import type { McpTool } from "../McpTool.ts"
import type { AnyExtension } from "./ToolExtension.ts"

/**
 * Something that a server offers.
 *
 * @category models
 * @since 0.1.0
 */
export type Feature<R = never> = McpTool<R> | McpResource<R> | McpResourceTemplate<R> | McpPrompt<R>

/**
 * The services that features require.
 *
 * @category models
 * @since 0.1.0
 */
export type Requirements<F> = F extends Feature<infer R> ? R : never

/**
 * Tells whether a call may know of a feature.
 *
 * @category models
 * @since 0.1.0
 */
export type Visible<R = never> = (feature: AnyFeature, call: McpContext) => boolean | Effect.Effect<boolean, never, R>

/** A feature or an extension, whatever its handler requires. @category models @since 0.1.0 */
export type AnyFeature =
  | Pick<McpTool, "_tag" | "info" | "scopes" | "listed" | "visible">
  | Pick<McpResource, "_tag" | "info" | "scopes" | "listed" | "visible">
  | Pick<McpResourceTemplate, "_tag" | "info" | "scopes" | "listed" | "visible">
  | Pick<McpPrompt, "_tag" | "info" | "scopes" | "listed" | "visible">
  | AnyExtension
