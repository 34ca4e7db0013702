/**
 * The requests about tasks. A task is there for those alone who made it: for all others its id is unknown.
 */
import type { BoundExtension, ExtensionCall, ExtensionHost, MethodRules } from "@parley/mcp/server/ToolExtension"
import * as McpError from "@parley/mcp/wire/McpError"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import type { Decoder } from "@parley/mcp/wire/WireIssue"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tasks from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"
import { Claims } from "./Claims.ts"
import { missing } from "./creation.ts"
import { Deliveries } from "./delivery.ts"
import type { Placed } from "./journal/TaskJournal.ts"
import * as TaskRecord from "./journal/TaskRecord.ts"
import type { TaskTable } from "./TaskTable.ts"

/** A request about tasks. */
interface Request {
  readonly call: ExtensionCall
  readonly codec: RevisionCodec.RevisionCodec
  readonly tasks: TaskCodec.TaskCodec
  readonly params: Schema.JsonObject
  readonly table: TaskTable
  readonly host: ExtensionHost
}

type Answer = Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse>

/** The methods, by the generation of tasks that has them. @internal */
export const methodsOf = (table: TaskTable, host: ExtensionHost): BoundExtension["methods"] =>
  new Map([...routes].map(([method, { generations, serve }]) => [
    method,
    (params, call) => {
      const codec = RevisionCodec.of(call.protocolVersion)
      return generations.includes(codec.features.tasks)
        ? serve({ call, codec, tasks: TaskCodec.of(codec), params, table, host })
        : Exit.fail(ErrorResponse.methodNotFound(method))
    }
  ]))

/** The task that a request names. */
const found = <P extends { readonly taskId: string }>(
  { call, codec, params, table }: Request,
  decode: Decoder<P>,
  serve: (placed: Placed, params: P) => Answer
): Answer => {
  if (codec.features.tasks === "extension" && !Tasks.hasExtension(call.client.capabilities)) return Exit.fail(missing)
  const decoded = decode(params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  return Effect.flatMap(table.find(decoded.success.taskId, call.auth), (placed) => {
    if (placed === undefined) return unknown
    table.runOf(placed.record.taskId)?.know()
    return serve(placed, decoded.success)
  })
}

const unknown = Exit.fail(ErrorResponse.make(ErrorCode.InvalidParams, "There is no such task, or it is kept no longer"))

const getTask = (request: Request): Answer =>
  found(request, request.tasks.decode.taskParams, ({ record }) => Effect.succeed(stateOf(request, record)))

const stateOf = ({ codec, tasks: { encode } }: Request, record: TaskRecord.TaskRecord): Schema.JsonObject =>
  codec.features.tasks === "core"
    ? encode.task(TaskRecord.taskOf(codec, record))
    : encode.detailedTask(TaskRecord.detailedTaskOf(codec, record))

/** Waits until a task has ended, and hears of each state before that. */
const untilOver = (
  request: Request,
  seen: Placed,
  hear: (seen: Placed) => void = () => {}
): Effect.Effect<TaskRecord.TaskRecord, ErrorResponse.ErrorResponse> => {
  if (TaskRecord.isOver(seen.record)) return Effect.succeed(seen.record)
  const { call: { auth }, table } = request
  hear(seen)
  return table.changed(seen).pipe(
    Effect.andThen(table.find(seen.record.taskId, auth)),
    Effect.flatMap((next) => next === undefined ? unknown : untilOver(request, next, hear))
  )
}

/** Waits for the end of a task, and meanwhile asks its client what the task asks. */
const taskResult = (request: Request): Answer =>
  found(request, request.tasks.decode.taskParams, (placed) => {
    const { call: { peer: caller }, host: { askTimeout }, table } = request
    const { taskId } = placed.record
    const deliveriesOf = (run: Placed) => {
      const tell = (message: Parameters<TaskTable["tell"]>[1]) => table.tell(run, message)
      const way = { taskId, caller, timeout: askTimeout, fork: table.fork, tell }
      return new Deliveries(way, table.runOf(taskId)?.claims ?? new Claims(() => true))
    }
    let { epoch } = placed.record
    let deliveries = deliveriesOf(placed)
    const hear = (seen: Placed) => {
      if (seen.record.epoch !== epoch) {
        // Another process runs it now, and is told the answers to what it asks.
        deliveries.match()
        deliveries = deliveriesOf(seen)
        epoch = seen.record.epoch
      }
      deliveries.match(seen.record.asks)
    }
    const over = Effect.ensuring(untilOver(request, placed, hear), Effect.sync(() => deliveries.match()))
    return Effect.flatMap(over, (record) => endOf(request, record))
  })

/** The answer that the request would have had. */
const endOf = ({ codec }: Request, { error, result, taskId }: TaskRecord.TaskRecord) =>
  result !== undefined
    ? Effect.succeed(TaskCodec.related(codec.encode.callToolResult(result), taskId))
    : Effect.fail(error === undefined ? cancelled : ErrorResponse.make(error.code, error.message, error.data))

const cancelled = ErrorResponse.make(ErrorCode.InternalError, "The task was cancelled")

const updateTask = (request: Request): Answer =>
  found(request, request.tasks.decode.updateTaskParams, (placed, { inputResponses, taskId }) => {
    const { asks = {} } = placed.record
    // Answers to nothing are ignored, and not kept for anybody.
    const answers = Object.entries(inputResponses).filter(([key]) => Object.hasOwn(asks, key))
    return answers.length === 0
      ? Effect.succeed({})
      : Effect.as(request.table.tell(placed, { taskId, answers: Object.fromEntries(answers) }), {})
  })

const cancelTask = (request: Request): Answer =>
  found(request, request.tasks.decode.taskParams, (placed) => {
    const { codec, table } = request
    const isCore = codec.features.tasks === "core"
    const { status, taskId } = placed.record
    if (TaskRecord.isOver(placed.record)) return isCore ? Effect.fail(ended(status)) : Effect.succeed({})
    const told = table.tell(placed, { taskId, cancel: true })
    if (!isCore) return Effect.as(told, {})
    const over = Effect.suspend(() => untilOver(request, placed))
    return Effect.map(Effect.andThen(told, over), (record) => stateOf(request, record))
  })

const ended = (status: string) =>
  ErrorResponse.make(ErrorCode.InvalidParams, `The task has ended already: it is ${status}`)

const listTasks = ({ call, codec, params, table, tasks }: Request): Answer => {
  const { principal } = call
  // The owners of tasks without a principal cannot be told apart.
  if (principal === undefined) return Exit.fail(ErrorResponse.methodNotFound(call.method))
  const decoded = codec.decode.listParams(params)
  if (Result.isFailure(decoded)) return Exit.fail(McpError.invalidParams(decoded.failure))
  const { cursor = "0" } = decoded.success
  if (!position.test(cursor)) return noCursor
  return Effect.map(
    table.list(principal, call.auth, Number(cursor), pageSize),
    ({ next, records }) =>
      tasks.encode.taskPage({
        tasks: records.map((record) => TaskRecord.taskOf(codec, record)),
        ...(next === undefined ? undefined : { nextCursor: String(next) })
      })
  )
}

const position = /^\d{1,15}$/

const noCursor = Exit.fail(ErrorResponse.make(ErrorCode.InvalidParams, "Invalid cursor"))

/** Tasks of one page: each is read from the journal. */
const pageSize = 100

const both = ["core", "extension"]

/** The extension repeats the id of a task in a header. The core generation has no such headers. */
const byId: MethodRules = { named: "taskId", cache: undefined }

const plain: MethodRules = { named: undefined, cache: undefined }

interface Route {
  readonly generations: ReadonlyArray<string>
  readonly rules: MethodRules
  readonly serve: (request: Request) => Answer
}

const routes: ReadonlyMap<string, Route> = new Map([
  ["tasks/get", { generations: both, rules: byId, serve: getTask }],
  ["tasks/cancel", { generations: both, rules: byId, serve: cancelTask }],
  ["tasks/update", { generations: ["extension"], rules: byId, serve: updateTask }],
  ["tasks/result", { generations: ["core"], rules: plain, serve: taskResult }],
  ["tasks/list", { generations: ["core"], rules: plain, serve: listTasks }]
])

/** The methods of both generations. @internal */
export const rules: ReadonlyMap<string, MethodRules> = new Map(
  [...routes].map(([method, { rules }]) => [method, rules])
)
