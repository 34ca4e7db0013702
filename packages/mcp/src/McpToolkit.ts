/**
 * The tools of an `effect/ai` toolkit, taken as they are.
 *
 * Their handlers come from the toolkit's own Layer. One that wants to know more
 * of its call finds it in `McpCall.Current`.
 *
 * @since 0.1.0
 */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Serving from "./internal/server/definition/toolkitServing.ts"
import type { McpTool } from "./McpTool.ts"

/**
 * What the tools of a toolkit require: their handlers, and the services of those.
 *
 * @category models
 * @since 0.1.0
 */
export type Requirements<Tools extends Record<string, Tool.Any>> =
  | Tool.HandlersFor<Tools>
  | Tool.HandlerServices<Tools[keyof Tools]>

/**
 * The tools of a toolkit, each as a feature. Title, hints and `_meta` come from the annotations of the tools. A failure
 * that a tool declares becomes a result with `isError`, however the tool wants it returned to a model of ours.
 *
 * @category constructors
 * @since 0.1.0
 */
export const tools = <Tools extends Record<string, Tool.Any>>(
  toolkit: Toolkit.Toolkit<Tools>
): ReadonlyArray<McpTool<Requirements<Tools>>> => Serving.tools(toolkit)
