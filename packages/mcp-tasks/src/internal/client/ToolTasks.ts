/**
 * Calls of tools that may become tasks: what such a call says, what answers it, and the progress that it makes.
 *
 * In the core generation the client asks for a task, where the tool needs or takes that. In the extension the server
 * decides, once the client has declared the extension.
 */
import type { ClientHost, ClientToolCall } from "@parley/mcp/client/ClientExtension"
import type { McpAskedError, McpToolError } from "@parley/mcp/client/McpClientError"
import type { Progress, RequestOptions, ToolOptions } from "@parley/mcp/client/RequestOptions"
import type { ToolExecution } from "@parley/mcp/payload/Listing"
import type { CallToolResult, InputRequired } from "@parley/mcp/payload/Results"
import type { RevisionCodec } from "@parley/mcp/wire/RevisionCodec"
import type { Decoder } from "@parley/mcp/wire/WireIssue"
import * as WireIssue from "@parley/mcp/wire/WireIssue"
import { JsonObject } from "@parley/protocol/shared"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tasks from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"
import type { Subject } from "./TaskRequests.ts"

/** The options of `TaskClient.call`. */
export interface CallTask {
  /**
   * Calls a tool of 2025-11-25 as a task also where the tool leaves that to the client. `ttl` is how long the server should
   * keep the task. Servers of the modern era decide by themselves.
   */
  readonly task?: { readonly ttl?: Duration.Input | undefined } | undefined
  /**
   * Takes the states of the task that the call has become: the first, and each that differs from the one before. Its
   * `taskId` may be kept, to take up the task again after a restart. It runs while the call waits: keep it short.
   */
  readonly onTask?: ((task: Tasks.Task) => void) | undefined
}

/** Waits for a task that a call has become. @internal */
export type Wait = (
  subject: Subject,
  created: Tasks.Task,
  hear: (state: Tasks.Task) => void,
  restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
) => Effect.Effect<CallToolResult, McpToolError>

/** @internal */
export const make = <H>(host: ClientHost, handle: (subject: Subject) => H, wait: Wait) => {
  /** The member of a call that asks for a task, where the tool is one that needs or takes it. */
  const wishOf = (tool: string, wanted: CallTask["task"]): Effect.Effect<Schema.JsonObject | undefined> =>
    Effect.suspend(() => {
      const codec = host.codec()
      const capabilities = host.capabilities()
      return codec.features.tasks === "core" && capabilities !== undefined && Tasks.canCallTool(capabilities)
        ? Effect.map(host.tool(tool), (info) => wish(codec, info?.execution?.taskSupport, wanted))
        : Effect.undefined
    })

  const answered = (
    call: ClientToolCall,
    wanted: CallTask["task"],
    progressToken?: string
  ): Effect.Effect<CallToolResult | Created, McpAskedError> =>
    Effect.flatMap(
      wishOf(call.tool, wanted),
      (task) => call.send<Created>(decoder, task === undefined ? {} : { params: { task }, progressToken })
    )

  const waited = (call: ClientToolCall, progress?: TaskProgress): Effect.Effect<CallToolResult, McpToolError> => {
    const { onTask, task } = optionOf(call.options)
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(
        restore(answered(call, task, progress?.token)),
        (answer): Effect.Effect<CallToolResult, McpToolError> => {
          if (!(answer instanceof Created)) return call.check(answer)
          const hear = (state: Tasks.Task) => {
            onTask?.(state)
            progress?.hear(state)
          }
          return wait(subjectOf(call, answer), answer.result.task, hear, restore)
        }
      )
    )
  }

  /** Makes a call, and waits for it where it becomes a task. */
  const callTool = (call: ClientToolCall): Effect.Effect<CallToolResult, McpToolError> => {
    const onProgress = call.options?.onProgress
    return onProgress === undefined ? waited(call) : Effect.acquireUseRelease(
      Effect.sync(() => new TaskProgress(host, onProgress)),
      (progress) => waited(call, progress),
      (progress) => Effect.sync(() => progress.end())
    )
  }

  /** Makes a call, as a task where it may be one. */
  const start = <P>(tool: string, args: P | undefined, options: ToolOptions<P> | undefined) => {
    const call = host.toolCall(tool, args, options)
    type Started =
      | { readonly _tag: "Task"; readonly task: H; readonly created: Tasks.CreateTaskResult }
      | { readonly _tag: "Result"; readonly result: CallToolResult }
    return Effect.flatMap(
      answered(call, optionOf(call.options).task ?? {}),
      (answer): Effect.Effect<Started, McpToolError> =>
        answer instanceof Created
          ? Effect.succeed({ _tag: "Task", task: handle(subjectOf(call, answer)), created: answer.result })
          : Effect.map(call.check(answer), (result) => ({ _tag: "Result", result }))
    )
  }

  return { callTool, start }
}

const optionOf = (options: ToolOptions | undefined): CallTask =>
  // Only `TaskClient.call` makes options of our extension.
  (options?.extensions?.find(({ extension }) => extension === Tasks.extension)?.value ?? {}) as CallTask

const subjectOf = ({ options, tool }: ClientToolCall, { result }: Created): Subject => {
  const { maxTimeout, meta, timeout }: RequestOptions = options ?? {}
  return { id: result.task.taskId, tool, options: { maxTimeout, meta, timeout } }
}

/** A task, in the place of a result. */
class Created {
  readonly result: Tasks.CreateTaskResult

  constructor(result: Tasks.CreateTaskResult) {
    this.result = result
  }
}

/** The member by which a call asks for a task: where the tool requires it, or where the caller wants it and may. */
const wish = (
  codec: RevisionCodec,
  support: ToolExecution["taskSupport"],
  wanted: CallTask["task"]
): Schema.JsonObject | undefined => {
  if (support !== "required" && (support !== "optional" || wanted === undefined)) return undefined
  const ttl = wanted?.ttl === undefined ? Infinity : Duration.toMillis(Duration.fromInputUnsafe(wanted.ttl))
  return TaskCodec.of(codec).encode.taskRequest(Number.isFinite(ttl) ? { ttlMs: Math.ceil(ttl) } : {})
}

/** Reads a result, a question or a task. */
const decoder = (codec: RevisionCodec): Decoder<CallToolResult | InputRequired | Created> => {
  const { decode, features } = codec
  if (features.tasks === "none") return decode.callToolResult
  const isTask = features.tasks === "core" ? isWrapped : isFlat
  return (json) =>
    JsonObject.isObject(json) && isTask(json)
      ? Result.flatMap(TaskCodec.of(codec).decode.createTaskResult(json), created)
      : decode.callToolResult(json)
}

/** An id is a header of every later request, where they go over HTTP. */
const longestId = 1_024

const created = (result: Tasks.CreateTaskResult): Result.Result<Created, WireIssue.WireIssue> => {
  const { length } = result.task.taskId
  return length > 0 && length <= longestId
    ? Result.succeed(new Created(result))
    : Result.fail(WireIssue.make(`Expected 1 to ${longestId} characters`, ["taskId"]))
}

const isFlat = (json: Schema.JsonObject): boolean => json["resultType"] === "task"

/** A result with content is one, whatever else it has. */
const isWrapped = ({ content, task }: Schema.JsonObject): boolean =>
  JsonObject.isObject(task) && !(JsonObject.isArray(content) && content.length > 0)

/**
 * The progress of a call that becomes a task. In the core generation its token outlives the response of the call; what a
 * server says by it counts, and otherwise the status messages of the task do.
 */
class TaskProgress {
  /** The token that asks for progress. */
  readonly token = `task-${crypto.randomUUID()}`
  readonly #onProgress: (progress: Progress) => void
  /** Ends the hearing. */
  readonly end: () => void
  #messages = 0
  #message: string | undefined
  #hasOwn = false

  constructor(host: ClientHost, onProgress: (progress: Progress) => void) {
    this.#onProgress = onProgress
    this.end = host.hearProgress(this.token, (progress) => {
      this.#hasOwn = true
      onProgress(progress)
    })
  }

  /** Gives the status message of a state, where it is another one. */
  hear({ statusMessage: message }: Tasks.Task): void {
    if (this.#hasOwn || message === undefined || message === this.#message) return
    this.#message = message
    this.#onProgress({ progress: ++this.#messages, message })
  }
}
