/**
 * Tasks: requests that are answered with a handle, and whose results are asked for later.
 *
 * Two generations of them travel: the core tasks of one legacy revision, and the extension of the modern era. The records
 * are the same. A revision writes them in its own words: the core names a life `ttl` and gives a result by a request of its
 * own, the extension names it `ttlMs` and puts the result into the state of the task.
 *
 * ```ts run
 * import * as Tasks from "@parley/mcp-tasks/Tasks"
 *
 * const task: Tasks.Task = {
 *   taskId: "42",
 *   status: "working",
 *   createdAt: "2026-07-28T12:00:00Z",
 *   lastUpdatedAt: "2026-07-28T12:00:01Z",
 *   ttlMs: 3_600_000
 * }
 *
 * console.log(Tasks.isTerminal(task.status), Tasks.isTerminal("completed")) // => false true
 * ```
 *
 * @since 0.1.0
 */
import type { ClientCapabilities, ServerCapabilities } from "@parley/mcp/payload/Capabilities"
import { Meta } from "@parley/mcp/payload/Content"
import { InputRequest } from "@parley/mcp/payload/Results"
import * as Schema from "effect/Schema"

/** The name of the extension of the modern era. @category constants @since 0.1.0 */
export const extension = "io.modelcontextprotocol/tasks"

/** The key of `_meta` that says which task a message of the core generation belongs to. @category constants @since 0.1.0 */
export const relatedTask = "io.modelcontextprotocol/related-task"

/**
 * The status of a task. `completed`, `failed` and `cancelled` are terminal: no other follows.
 *
 * @category models
 * @since 0.1.0
 */
export const TaskStatus = Schema.Literals(["working", "input_required", "completed", "failed", "cancelled"])

/** @category models @since 0.1.0 */
export type TaskStatus = typeof TaskStatus.Type

/** Tells whether a task has ended. @category predicates @since 0.1.0 */
export const isTerminal = (status: TaskStatus): boolean => status !== "working" && status !== "input_required"

const fields = {
  taskId: Schema.String,
  statusMessage: Schema.optionalKey(Schema.String),
  /** A date of ISO 8601. */
  createdAt: Schema.String,
  /** A date of ISO 8601. */
  lastUpdatedAt: Schema.String,
  /** Milliseconds from the creation, after which the server may forget the task; `null` for no end. */
  ttlMs: Schema.NullOr(Schema.Int),
  /** Milliseconds that a client should wait before it asks again. */
  pollIntervalMs: Schema.optionalKey(Schema.Int)
}

/**
 * The state of a task without what it gives or asks for.
 *
 * @category models
 * @since 0.1.0
 */
export const Task = Schema.Struct({ ...fields, status: TaskStatus })

/** @category models @since 0.1.0 */
export type Task = typeof Task.Type

/** The error of JSON-RPC that a task failed with. @category models @since 0.1.0 */
export const TaskError = Schema.Struct({
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Json)
})

/** @category models @since 0.1.0 */
export type TaskError = typeof TaskError.Type

/**
 * The state of a task with its result or error, or with what its server asks. Only the extension sends it; the core sends
 * a `Task` in its place.
 *
 * @category models
 * @since 0.1.0
 */
export const DetailedTask = Schema.Union([
  Schema.Struct({ ...fields, status: Schema.Literal("working") }),
  Schema.Struct({
    ...fields,
    status: Schema.Literal("input_required"),
    inputRequests: Schema.Record(Schema.String, InputRequest)
  }),
  /** The result is that of the request, in the words of its revision. */
  Schema.Struct({ ...fields, status: Schema.Literal("completed"), result: Schema.JsonObject }),
  Schema.Struct({ ...fields, status: Schema.Literal("failed"), error: TaskError }),
  Schema.Struct({ ...fields, status: Schema.Literal("cancelled") })
])

/** @category models @since 0.1.0 */
export type DetailedTask = typeof DetailedTask.Type

/**
 * The answer to a request that became a task.
 *
 * @category models
 * @since 0.1.0
 */
export const CreateTaskResult = Schema.Struct({ task: Task, _meta: Schema.optionalKey(Meta) })

/** @category models @since 0.1.0 */
export type CreateTaskResult = typeof CreateTaskResult.Type

/** Some of the tasks, and where the next page starts. @category models @since 0.1.0 */
export const TaskPage = Schema.Struct({
  tasks: Schema.Array(Task),
  nextCursor: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type TaskPage = typeof TaskPage.Type

/** How a requestor of the core generation wants a request to become a task. @category models @since 0.1.0 */
export const TaskRequest = Schema.Struct({
  /** Milliseconds that the task should be kept for. The receiver may keep it longer or shorter. */
  ttlMs: Schema.optionalKey(Schema.Int)
})

/** @category models @since 0.1.0 */
export type TaskRequest = typeof TaskRequest.Type

/** The params of `tasks/get`, `tasks/result` and `tasks/cancel`. @category models @since 0.1.0 */
export const TaskParams = Schema.Struct({ taskId: Schema.String, _meta: Schema.optionalKey(Meta) })

/** @category models @since 0.1.0 */
export type TaskParams = typeof TaskParams.Type

/** The params of `tasks/update`: the answers, by the keys of the questions. @category models @since 0.1.0 */
export const UpdateTaskParams = Schema.Struct({
  taskId: Schema.String,
  inputResponses: Schema.Record(Schema.String, Schema.JsonObject),
  _meta: Schema.optionalKey(Meta)
})

/** @category models @since 0.1.0 */
export type UpdateTaskParams = typeof UpdateTaskParams.Type

/** The id of the task that a message of the core generation belongs to, where it says so. @category accessors @since 0.1.0 */
export const relatedTaskOf = (meta: Schema.JsonObject | undefined): string | undefined => {
  const related = meta?.[relatedTask]
  // The member is there; what it holds is compared.
  const taskId = typeof related === "object" && related !== null ? (related as Schema.JsonObject)["taskId"] : undefined
  return typeof taskId === "string" ? taskId : undefined
}

/**
 * The `_meta` of a message of the core generation that belongs to a task; what was there stays.
 *
 * @category combinators
 * @since 0.1.0
 */
export const withRelatedTask = (meta: Schema.JsonObject | undefined, taskId: string): Schema.JsonObject => ({
  ...meta,
  [relatedTask]: { taskId }
})

/** Tells whether a side speaks the extension of the modern era. @category predicates @since 0.1.0 */
export const hasExtension = ({ extensions }: ClientCapabilities | ServerCapabilities): boolean =>
  extensions !== undefined && Object.hasOwn(extensions, extension)

/** Tells whether a server takes calls of tools as tasks of the core generation. @category predicates @since 0.1.0 */
export const canCallTool = ({ tasks }: ServerCapabilities): boolean => tasks?.requests?.tools?.call !== undefined

/** Tells whether a client takes questions to its model as tasks of the core generation. @category predicates @since 0.1.0 */
export const canSample = ({ tasks }: ClientCapabilities): boolean =>
  tasks?.requests?.sampling?.createMessage !== undefined

/** Tells whether a client takes questions to its person as tasks of the core generation. @category predicates @since 0.1.0 */
export const canElicit = ({ tasks }: ClientCapabilities): boolean => tasks?.requests?.elicitation?.create !== undefined
