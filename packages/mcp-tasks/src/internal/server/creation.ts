/**
 * How a call of a tool becomes a task, and when: the client asks for it in the core generation, and the server decides it in
 * the extension.
 */
import type { Learned } from "@parley/mcp/server/ClientRequests"
import type { ExtensionHost, ToolCall, ToolOutcome } from "@parley/mcp/server/ToolExtension"
import * as McpError from "@parley/mcp/wire/McpError"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tasks from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"
import { attach } from "./delivery.ts"
import type { TaskOption } from "./Home.ts"
import * as TaskRecord from "./journal/TaskRecord.ts"
import type { Origin } from "./TaskCall.ts"
import type { TaskRun } from "./TaskRun.ts"
import type { TaskTable } from "./TaskTable.ts"

/** @internal */
export const callTool = (table: TaskTable, host: ExtensionHost) => (call: ToolCall): ToolOutcome => {
  const { call: { client, protocolVersion }, params } = call
  // Only our options come as options of our extension.
  const task = call.option as TaskOption | undefined
  const asTask = (task: TaskOption): ToolOutcome => ({
    _tag: "Answered",
    answer: Effect.suspend(() => callAsTask(table, host, call, task))
  })
  switch (RevisionCodec.of(protocolVersion).features.tasks) {
    case "none":
      return task?.support === "required" ? refused(noTasksYet) : served
    case "core":
      // Section "Task Support and Handling": who declares no tasks ignores the wish for one.
      if (params["task"] === undefined) return task?.support === "required" ? refused(onlyTask) : served
      return task === undefined ? refused(noTask) : asTask(task)
    case "extension":
      if (task === undefined) return served
      if (!Tasks.hasExtension(client.capabilities)) return task.support === "required" ? refused(missing) : served
      return task.startAfterInput !== true ? asTask(task) : {
        _tag: "Detachable",
        detached: (learned) => callAsTask(table, host, call, task, learned)
      }
  }
}

const served: ToolOutcome = { _tag: "Served" }

const refused = (error: ErrorResponse.ErrorResponse): ToolOutcome => ({ _tag: "Answered", answer: Exit.fail(error) })

/** @internal */
export const missing = McpError.missingClientCapability({ extensions: { [Tasks.extension]: {} } })

const onlyTask = ErrorResponse.make(ErrorCode.MethodNotFound, "This tool is called as a task only: send `task`")

const noTasksYet = ErrorResponse.make(
  ErrorCode.MethodNotFound,
  "This tool is called as a task only, which the revision of this session does not have"
)

const noTask = ErrorResponse.make(ErrorCode.MethodNotFound, "This tool is not called as a task: send no `task`")

const callAsTask = (
  table: TaskTable,
  { answerTo, askTimeout }: ExtensionHost,
  { arguments: args, call, params, serve, tool }: ToolCall,
  task: TaskOption,
  learned: Learned = TaskRecord.nothing
): Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse> => {
  const {
    client,
    header,
    id,
    line: lineNow,
    logLevel,
    meta,
    method,
    party,
    auth,
    protocolVersion,
    session
  } = call
  const codec = RevisionCodec.of(protocolVersion)
  const isCore = codec.features.tasks === "core"
  const wish = isCore ? TaskCodec.of(codec).decode.taskRequest(params["task"]) : Result.succeed<Tasks.TaskRequest>({})
  if (Result.isFailure(wish)) {
    const issues = wish.failure.issues.map(({ message, path }) => ({ message, path: ["task", ...path] }))
    return Exit.fail(McpError.invalidParams({ issues }))
  }
  let run: TaskRun | undefined
  // Before it has the answer, or asks for the task, a client would not know what a message belongs to.
  const line = () => isCore && run?.isKnown === true ? lineNow() : undefined
  const origin: Origin = { client, codec, auth, party, header, id, logLevel, meta, method, session, line }
  const creation = table.create({ origin, tool, task, serve, arguments: args, ttlMs: wish.success.ttlMs, learned })
  return Effect.matchEffect(creation, {
    onSuccess: (created) => {
      run = created
      if (isCore) {
        attach(created, codec, line, {
          timeout: askTimeout,
          fork: table.fork,
          tell: (message) => table.tell(created, message)
        })
      }
      // Section "Task Status Lifecycle": a task begins so, however far it has come by now.
      const seed = { ...TaskRecord.taskOf(codec, created.record), status: "working" as const }
      return Effect.succeed(TaskCodec.of(codec).encode.createTaskResult({ task: seed }))
    },
    onFailure: (refusal) => {
      if (isCore && refusal._tag === "InvalidToolArguments") return Effect.fail(McpError.invalidParams(refusal))
      const answer = answerTo(codec, refusal)
      return answer instanceof ErrorResponse.ErrorResponse
        ? Effect.fail(answer)
        : Effect.succeed(codec.encode.callToolResult(answer))
    }
  })
}
