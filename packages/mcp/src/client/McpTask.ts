/**
 * Tasks as a client sees them: calls of tools that a server answers with a handle, and whose results it gives later.
 *
 * `McpClient.callTool` waits for a task by itself. A handle is for programs that start a call, keep its id, and take up the
 * task again, perhaps in another process.
 *
 * ```ts
 * import { McpClient } from "@parley/mcp"
 * import type { StartedTool, TaskHandle } from "@parley/mcp/client/McpTask"
 * import { Effect } from "effect"
 *
 * // Keeps the id of a task, so that another process can take it up.
 * declare const keep: (id: string) => Effect.Effect<void>
 *
 * const left = (started: StartedTool) => started._tag === "Task" ? keep(started.task.id) : Effect.void
 *
 * export const begin = Effect.flatMap(McpClient.McpClient, ({ startTool }) => Effect.tap(startTool("report"), left))
 *
 * export const takeUp = (id: string) =>
 *   Effect.flatMap(McpClient.McpClient, (client) => {
 *     const task: TaskHandle = client.task(id, { tool: "report" })
 *     return task.await
 *   })
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { CallToolResult } from "../payload/Results.ts"
import type { CreateTaskResult, Task } from "../payload/Tasks.ts"
import type { McpTaskError, McpToolError } from "./McpClientError.ts"

/**
 * A task of a server.
 *
 * A task does not depend on its handle: it goes on until it ends or is cancelled.
 *
 * @category models
 * @since 0.1.0
 */
export interface TaskHandle {
  /** The id of the task, in any process. Where a server has no principals, the id alone gives access to the task. */
  readonly id: string
  /** Asks the server for the state of the task. */
  readonly get: Effect.Effect<Task, McpTaskError>
  /** The states of the task, from the present one to the last. A slow reader misses some that came between. */
  readonly states: Stream.Stream<Task, McpTaskError>
  /**
   * Waits for the result, and answers by the handlers of the client what the task asks meanwhile. A result with `isError`
   * is the failure `ToolError`; a task that has no result is a `TaskError`. Interruption ends the waiting alone.
   */
  readonly await: Effect.Effect<CallToolResult, McpToolError>
  /**
   * Asks the server to cancel the task, and succeeds where it has ended already. A server of the modern era may go on with
   * the task all the same.
   */
  readonly cancel: Effect.Effect<void, McpTaskError>
}

/**
 * The outcome of a call that may be a task: a result at once, or a task. `created` is the state that the
 * server gave it at first.
 *
 * @category models
 * @since 0.1.0
 */
export type StartedTool =
  | { readonly _tag: "Result"; readonly result: CallToolResult }
  | { readonly _tag: "Task"; readonly task: TaskHandle; readonly created: CreateTaskResult }
