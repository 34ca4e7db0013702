/**
 * Tasks as a client sees them: calls of tools that a server answers with a handle, and whose results it gives later.
 *
 * A client that uses this extension waits for tasks by itself: `McpClient.callTool` gives the result, and cancels the task
 * when it is interrupted. `call` is an option of such a call. `of` gives handles, for programs that start a call, keep its
 * id, and take up the task again, perhaps in another process.
 *
 * ```ts
 * import { McpClient } from "@parley/mcp"
 * import { TaskClient } from "@parley/mcp-tasks"
 * import { Effect } from "effect"
 *
 * // Keeps the id of a task, so that another process can take it up.
 * declare const keep: (id: string) => Effect.Effect<void>
 *
 * export const client = McpClient.layer({ name: "me", version: "1.0.0", extensions: [TaskClient.use()] })
 *
 * export const begin = Effect.gen(function*() {
 *   const { start } = yield* TaskClient.of(yield* McpClient.McpClient)
 *   const started = yield* start("report")
 *   if (started._tag === "Task") yield* keep(started.task.id)
 * })
 *
 * export const takeUp = (id: string) =>
 *   Effect.gen(function*() {
 *     const { task } = yield* TaskClient.of(yield* McpClient.McpClient)
 *     return yield* task(id, { tool: "report" }).await
 *   })
 * ```
 *
 * @since 0.1.0
 */
import type { ClientExtension } from "@parley/mcp/client/ClientExtension"
import type { McpCallError, McpTaskError, McpToolError } from "@parley/mcp/client/McpClientError"
import type { CallOption, RequestOptions, ToolOptions } from "@parley/mcp/client/RequestOptions"
import type { McpClient } from "@parley/mcp/McpClient"
import type { CallToolResult } from "@parley/mcp/payload/Results"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import * as AnswerTasks from "./internal/client/AnswerTasks.ts"
import * as ClientTasks from "./internal/client/ClientTasks.ts"
import * as TaskFollower from "./internal/client/TaskFollower.ts"
import type { CallTask } from "./internal/client/ToolTasks.ts"
import * as Tasks from "./Tasks.ts"

/**
 * The options of `use`.
 *
 * @category models
 * @since 0.1.0
 */
export interface TaskOptions {
  /** How long a call waits for a task whose state does not change. 1 hour by default. */
  readonly timeout?: Duration.Input | undefined
  /** How long a call waits for a task, however often its state changes. 24 hours by default. */
  readonly maxTimeout?: Duration.Input | undefined
  /**
   * Lets a server of 2025-11-25 ask the client by tasks: the client answers at once with a handle, and the server fetches
   * the answer later. Only questions with handlers are allowed. `false` by default.
   */
  readonly answers?: boolean | undefined
}

/**
 * The options of a call of a tool.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallTaskOptions extends CallTask {}

/**
 * The options of a task whose id was kept.
 *
 * @category models
 * @since 0.1.0
 */
export interface TaskSubject extends Pick<RequestOptions, "timeout" | "maxTimeout" | "meta"> {
  /** The tool that was called. */
  readonly tool?: string | undefined
}

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
  readonly get: Effect.Effect<Tasks.Task, McpTaskError>
  /** The states of the task, from the present one to the last. A slow reader misses some that came between. */
  readonly states: Stream.Stream<Tasks.Task, McpTaskError>
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
  | { readonly _tag: "Task"; readonly task: TaskHandle; readonly created: Tasks.CreateTaskResult }

/**
 * The tasks of the server of a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface TaskClient {
  /**
   * Calls a tool and does not wait for it, where the call becomes a task. A server may answer at once all the same. The
   * task goes on when the client has ended.
   */
  readonly start: <P = Schema.JsonObject>(
    tool: string,
    args?: P,
    options?: ToolOptions<P>
  ) => Effect.Effect<StartedTool, McpToolError>
  /**
   * The task of an id that was kept. `tool` is the name of the tool that was called: with it, the result is checked against
   * the output schema, and errors name the tool. Nothing is sent.
   */
  readonly task: (id: string, options?: TaskSubject) => TaskHandle
  /** The tasks of a server of 2025-11-25, page by page on demand. */
  readonly tasks: Stream.Stream<Tasks.Task, McpCallError>
  /** All tasks of a server of 2025-11-25. */
  readonly list: (options?: RequestOptions) => Effect.Effect<ReadonlyArray<Tasks.Task>, McpCallError>
}

/**
 * Uses tasks: for the `extensions` of a client. Servers of the modern era may then answer calls of tools with tasks; of the
 * tools of 2025-11-25 the client calls as tasks those that require it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const use = (options: TaskOptions = {}): ClientExtension => {
  const times = {
    timeout: Duration.toMillis(Duration.fromInputUnsafe(options.timeout ?? "1 hour")),
    maxTimeout: Duration.toMillis(Duration.fromInputUnsafe(options.maxTimeout ?? "24 hours"))
  }
  const capabilities: ClientExtension["capabilities"] & {} = (era, { elicit, elicitUrl, sample }) => {
    if (era === "modern") return { extensions: { [Tasks.extension]: {} } }
    const elicits = elicit !== undefined || elicitUrl !== undefined
    if (options.answers !== true || (!elicits && sample === undefined)) return {}
    const requests = {
      ...(sample !== undefined && { sampling: { createMessage: {} } }),
      ...(elicits && { elicitation: { create: {} } })
    }
    return { tasks: { list: {}, cancel: {}, requests } }
  }
  const heard = [TaskFollower.states, TaskFollower.status]
  return {
    _tag: "McpClientExtension",
    identifier: Tasks.extension,
    era: undefined,
    settings: undefined,
    notifications: new Set(heard),
    capabilities,
    bind: (_, host) => {
      const { all, callTool, handle, list, start } = ClientTasks.make(host, times)
      const service: TaskClient = {
        start,
        task: (id, { tool, ...options } = {}) => handle({ id, tool, options }),
        tasks: all,
        list
      }
      return {
        // Who waits for a task hears them.
        hear: new Map(heard.map((method) => [method, () => Effect.void])),
        results: new Map(),
        serve: AnswerTasks.make(host),
        callTool,
        service
      }
    }
  }
}

/**
 * The tasks of the server of a client that uses this extension; another client is a defect.
 *
 * @category accessors
 * @since 0.1.0
 */
export const of = (client: McpClient): Effect.Effect<TaskClient> =>
  Effect.sync(() => {
    const service = client.extension(Tasks.extension)
    if (service === undefined) throw new TypeError("the client does not use tasks: give it `TaskClient.use()`")
    // `use` made it.
    return service as TaskClient
  })

/**
 * An option of a call of a tool: for the `extensions` of its options.
 *
 * @category options
 * @since 0.1.0
 */
export const call = (options: CallTaskOptions): CallOption => ({ extension: Tasks.extension, value: options })
