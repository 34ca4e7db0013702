/**
 * The requests about tasks. A task is there for those alone who made it: for all others its id is unknown.
 */
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tasks from "../../../payload/Tasks.ts"
import * as McpError from "../../../wire/McpError.ts"
import type { Decoder } from "../../../wire/WireIssue.ts"
import type { Answer, LiveCall } from "../dispatch/LiveCall.ts"
import { Claims } from "./Claims.ts"
import { missing } from "./creation.ts"
import { Deliveries, related } from "./delivery.ts"
import type { Placed } from "./TaskJournal.ts"
import * as TaskRecord from "./TaskRecord.ts"
import type { TaskTable } from "./TaskTable.ts"

/** The task that a request names. */
const found = <P extends { readonly taskId: string }>(
  call: LiveCall,
  decode: Decoder<P>,
  serve: (placed: Placed, table: TaskTable, params: P) => Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse>
): Answer => {
  const { client, codec, connection: { server }, params, principal } = call
  const { tasks: table } = server
  if (codec.features.tasks === "extension" && !Tasks.hasExtension(client.capabilities)) return Exit.fail(missing)
  const decoded = decode(params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  if (table === undefined) return unknown
  const answered = Effect.flatMap(table.find(decoded.success.taskId, principal), (placed) => {
    if (placed === undefined) return unknown
    table.runOf(placed.record.taskId)?.know()
    return serve(placed, table, decoded.success)
  })
  return Effect.map(answered, (result) => codec.seal(result, server.serverInfo(codec)))
}

const unknown = Exit.fail(ErrorResponse.make(ErrorCode.InvalidParams, "There is no such task, or it is kept no longer"))

/** @internal */
export const getTask = (call: LiveCall): Answer =>
  found(call, call.codec.decode.taskParams, ({ record }) => Effect.succeed(stateOf(call, record)))

const stateOf = ({ codec }: LiveCall, record: TaskRecord.TaskRecord): Schema.JsonObject =>
  codec.features.tasks === "core"
    ? codec.encode.task(TaskRecord.taskOf(codec, record))
    : codec.encode.detailedTask(TaskRecord.detailedTaskOf(codec, record))

/** Waits for the end of a task, and meanwhile asks its client what the task asks. @internal */
export const taskResult = (call: LiveCall): Answer =>
  found(call, call.codec.decode.taskParams, (placed, table) => {
    const { call: { peer: caller }, connection: { server: { askTimeout } }, principal } = call
    const { taskId } = placed.record
    const deliveriesOf = (run: Placed) => {
      const tell = (message: Parameters<TaskTable["tell"]>[1]) => table.tell(run, message)
      const way = { taskId, caller, timeout: askTimeout, fork: table.fork, tell }
      return new Deliveries(way, table.runOf(taskId)?.claims ?? new Claims(() => true))
    }
    let { epoch } = placed.record
    let deliveries = deliveriesOf(placed)
    const wait = (seen: Placed): Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse> => {
      if (TaskRecord.isOver(seen.record)) return endOf(call, seen.record)
      if (seen.record.epoch !== epoch) {
        // Another process runs it now, and is told the answers to what it asks.
        deliveries.match()
        deliveries = deliveriesOf(seen)
        epoch = seen.record.epoch
      }
      deliveries.match(seen.record.asks)
      return table.changed(seen).pipe(
        Effect.andThen(table.find(taskId, principal)),
        Effect.flatMap((next) => next === undefined ? unknown : wait(next))
      )
    }
    return Effect.ensuring(wait(placed), Effect.sync(() => deliveries.match()))
  })

/** The answer that the request would have had. */
const endOf = ({ codec }: LiveCall, { error, result, taskId }: TaskRecord.TaskRecord) =>
  result !== undefined
    ? Effect.succeed(related(codec.encode.callToolResult(result), taskId))
    : Effect.fail(error === undefined ? cancelled : ErrorResponse.make(error.code, error.message, error.data))

const cancelled = ErrorResponse.make(ErrorCode.InternalError, "The task was cancelled")

/** @internal */
export const updateTask = (call: LiveCall): Answer =>
  found(
    call,
    call.codec.decode.updateTaskParams,
    (placed, table, { inputResponses, taskId }) => {
      const { asks = {} } = placed.record
      // Answers to nothing are ignored, and not kept for anybody.
      const answers = Object.entries(inputResponses).filter(([key]) => Object.hasOwn(asks, key))
      return answers.length === 0
        ? Effect.succeed({})
        : Effect.as(table.tell(placed, { taskId, answers: Object.fromEntries(answers) }), {})
    }
  )

/** @internal */
export const cancelTask = (call: LiveCall): Answer =>
  found(call, call.codec.decode.taskParams, (placed, table) => {
    const isCore = call.codec.features.tasks === "core"
    const { status, taskId } = placed.record
    if (TaskRecord.isOver(placed.record)) return isCore ? Effect.fail(ended(status)) : Effect.succeed({})
    const told = table.tell(placed, { taskId, cancel: true })
    if (!isCore) return Effect.as(told, {})
    const wait = (seen: Placed): Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse> =>
      TaskRecord.isOver(seen.record) ? Effect.succeed(stateOf(call, seen.record)) : table.changed(seen).pipe(
        Effect.andThen(table.find(taskId, call.principal)),
        Effect.flatMap((next) => next === undefined ? unknown : wait(next))
      )
    return Effect.andThen(told, wait(placed))
  })

const ended = (status: string) =>
  ErrorResponse.make(ErrorCode.InvalidParams, `The task has ended already: it is ${status}`)

/** @internal */
export const listTasks = (call: LiveCall): Answer => {
  const { codec, connection: { server }, params, principal } = call
  const { tasks: table } = server
  // The owners of tasks without a principal cannot be told apart.
  if (table === undefined || principal === undefined) return Exit.fail(ErrorResponse.methodNotFound(call.method))
  const decoded = codec.decode.listParams(params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  const { cursor = "0" } = decoded.success
  if (!position.test(cursor)) return noCursor
  return Effect.map(table.list(principal, Number(cursor), pageSize), ({ next, records }) =>
    codec.encode.taskPage({
      tasks: records.map((record) => TaskRecord.taskOf(codec, record)),
      ...(next === undefined ? undefined : { nextCursor: String(next) })
    }))
}

const position = /^\d{1,15}$/

const noCursor = Exit.fail(ErrorResponse.make(ErrorCode.InvalidParams, "Invalid cursor"))

/** Tasks of one page: each is read from the journal. */
const pageSize = 100
