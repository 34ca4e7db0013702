/**
 * How a call of a tool becomes a task, and when: the client asks for it in the core generation, and the server decides it in
 * the extension.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tasks from "../../../payload/Tasks.ts"
import type { ToolTask } from "../../../tasks/McpTasks.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { BoundTool } from "../definition/Offer.ts"
import type { LiveCall } from "../dispatch/LiveCall.ts"
import { responseOf, toolResultOf } from "../dispatch/refusal.ts"
import type { Learned } from "../questions/Round.ts"
import { attach } from "./delivery.ts"
import type { Origin } from "./TaskCall.ts"
import * as TaskRecord from "./TaskRecord.ts"
import type { TaskRun } from "./TaskRun.ts"
import type { TaskTable } from "./TaskTable.ts"

/** How a call is served: by its request, as a task, or by its request until its handler detaches; or why not at all. */
type Mode = "request" | "task" | "startAfterInput" | ErrorResponse.ErrorResponse

/** @internal */
export const modeOf = ({ client, codec, connection, params }: LiveCall, task: ToolTask | undefined): Mode => {
  switch (codec.features.tasks) {
    case "none":
      return task?.support === "required" ? noTasksYet : "request"
    case "core":
      // Section "Task Support and Handling": who declares no tasks ignores the wish for one.
      if (params["task"] === undefined || connection.server.offer.capabilities.tasks === undefined) {
        return task?.support === "required" ? onlyTask : "request"
      }
      return task === undefined ? noTask : "task"
    case "extension":
      if (task === undefined) return "request"
      if (!Tasks.hasExtension(client.capabilities)) return task.support === "required" ? missing : "request"
      return task.startAfterInput === true ? "startAfterInput" : "task"
  }
}

/** @internal */
export const missing = McpError.missingClientCapability({ extensions: { [Tasks.extension]: {} } })

const onlyTask = ErrorResponse.make(ErrorCode.MethodNotFound, "This tool is called as a task only: send `task`")

const noTasksYet = ErrorResponse.make(
  ErrorCode.MethodNotFound,
  "This tool is called as a task only, which the revision of this session does not have"
)

const noTask = ErrorResponse.make(ErrorCode.MethodNotFound, "This tool is not called as a task: send no `task`")

/** @internal */
export const callAsTask = (
  call: LiveCall,
  { feature, serve }: BoundTool,
  args: Schema.JsonObject,
  learned: Learned = TaskRecord.nothing
): Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse> => {
  const { auth, client, codec, connection, header, id, logLevel, meta, method, params, party, session } = call
  const { server } = connection
  const { tasks: table } = server
  const { task } = feature
  if (table === undefined || task === undefined) return Exit.die("a tool that is a task has nowhere to run")
  const isCore = codec.features.tasks === "core"
  const wish = isCore ? codec.decode.taskRequest(params["task"]) : Result.succeed<Tasks.TaskRequest>({})
  if (Result.isFailure(wish)) {
    const issues = wish.failure.issues.map(({ message, path }) => ({ message, path: ["task", ...path] }))
    return Exit.fail(McpError.invalidParams({ issues }))
  }
  const answer = (result: Schema.JsonObject) => codec.seal(result, server.serverInfo(codec))
  let run: TaskRun | undefined
  // Before it has the answer, or asks for the task, a client would not know what a message belongs to.
  const line = () => isCore && run?.isKnown === true ? connection.line : undefined
  const origin: Origin = { client, codec, auth, party, header, id, logLevel, meta, method, session, line }
  const { ttlMs } = wish.success
  const creation = table.create({ origin, tool: feature.info.name, task, serve, arguments: args, ttlMs, learned })
  return Effect.matchEffect(creation, {
    onSuccess: (created) => {
      run = created
      if (isCore) attach(created, codec, line, wayOf(call, created, table))
      // Section "Task Status Lifecycle": a task begins so, however far it has come by now.
      const seed = { ...TaskRecord.taskOf(codec, created.record), status: "working" as const }
      return Effect.succeed(answer(codec.encode.createTaskResult({ task: seed })))
    },
    onFailure: (refusal) => {
      // A call that the core generation asks to be a task cannot be answered with a result.
      const result = isCore ? undefined : toolResultOf(codec, refusal)
      return result === undefined
        ? Effect.fail(responseOf(codec, refusal))
        : Effect.succeed(answer(codec.encode.callToolResult(result)))
    }
  })
}

const wayOf = ({ connection }: LiveCall, run: TaskRun, table: TaskTable) => ({
  timeout: connection.server.askTimeout,
  fork: table.fork,
  tell: (message: Parameters<TaskTable["tell"]>[1]) => table.tell(run, message)
})
