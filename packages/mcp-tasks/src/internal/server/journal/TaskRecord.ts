/**
 * The state of a task as its journal keeps it: each text under its key is the whole state, and the last one counts.
 *
 * It holds our records, in the words of no revision: whoever asks is answered in the words of theirs.
 */
import { ClientCapabilities, Implementation } from "@parley/mcp/payload/Capabilities"
import { CallToolResult, InputRequest } from "@parley/mcp/payload/Results"
import { Learned } from "@parley/mcp/server/ClientRequests"
import { Revision } from "@parley/mcp/wire/Revision"
import type { RevisionCodec } from "@parley/mcp/wire/RevisionCodec"
import * as Message from "@parley/protocol/Message"
import { ErrorObject } from "@parley/protocol/shared"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Tasks from "../../../Tasks.ts"

/** A task that knows nothing of its client yet. @internal */
export const nothing: Learned = { answers: [], results: [], asked: [] }

/** The call that a task is, as far as it can be told to another process. @internal */
export const StoredCall = Schema.Struct({
  arguments: Schema.JsonObject,
  clientInfo: Schema.optionalKey(Implementation),
  clientCapabilities: ClientCapabilities,
  revision: Revision,
  meta: Schema.JsonObject
})

/** @internal */
export type StoredCall = typeof StoredCall.Type

/** A task as it is kept. */
export const TaskRecord = Schema.Struct({
  taskId: Schema.String,
  /** The principal that made it; absent for nobody in particular. */
  principal: Schema.optionalKey(Schema.String),
  tool: Schema.String,
  /** The process that runs it, or has run it. */
  node: Schema.String,
  epoch: Schema.Finite,
  createdAt: Schema.Finite,
  updatedAt: Schema.Finite,
  ttlMs: Schema.Int,
  pollIntervalMs: Schema.Int,
  /** `completed` has a result, whatever that says, and `failed` an error. */
  status: Tasks.TaskStatus,
  message: Schema.optionalKey(Schema.String),
  /** The questions that wait for its client. */
  asks: Schema.optionalKey(Schema.Record(Schema.String, InputRequest)),
  result: Schema.optionalKey(CallToolResult),
  error: Schema.optionalKey(Tasks.TaskError),
  /** Only of one that may run again, until it has ended. */
  call: Schema.optionalKey(StoredCall),
  /** Its answers, the results of `memo`, and the keys that were asked under: enough to run it again. */
  learned: Schema.optionalKey(Learned)
})

/** A task as it is kept. */
export type TaskRecord = typeof TaskRecord.Type

/** The text of a record. */
export const encode = (record: TaskRecord): string => JSON.stringify(record)

/** The record of a text; `undefined` for one of another version. */
export const decode = (text: string): TaskRecord | undefined =>
  Option.getOrUndefined(Option.flatMap(Result.getSuccess(Message.parse(text, anyDepth)), decodeOption))

// It was written by us, at whatever depth its tool has given.
const anyDepth = { depth: Number.POSITIVE_INFINITY }

const decodeOption = Schema.decodeUnknownOption(TaskRecord)

/** @internal */
export const isOver = ({ status }: TaskRecord): boolean => Tasks.isTerminal(status)

/** When a task may be forgotten. @internal */
export const endOf = ({ createdAt, ttlMs }: TaskRecord): number => createdAt + ttlMs

/** @internal */
export const taskOf = (codec: RevisionCodec, record: TaskRecord): Tasks.Task => {
  const message = messageOf(record)
  return {
    taskId: record.taskId,
    status: statusOf(codec, record),
    ...(message === undefined ? undefined : { statusMessage: message }),
    createdAt: dateOf(record.createdAt),
    lastUpdatedAt: dateOf(record.updatedAt),
    ttlMs: record.ttlMs,
    pollIntervalMs: record.pollIntervalMs
  }
}

const dateOf = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** In the core generation a tool that says that it failed has failed; in the extension it has completed and says so. */
const statusOf = ({ features }: RevisionCodec, { result, status }: TaskRecord): Tasks.TaskStatus =>
  features.tasks === "core" && status === "completed" && result?.isError === true ? "failed" : status

const messageOf = ({ error, message, result }: TaskRecord): string | undefined => {
  if (error !== undefined) return error.message
  if (result?.isError !== true) return message
  const [first] = result.content
  return first?.type === "text" ? first.text.slice(0, mostCharacters) : message
}

/** Characters of a result that the message of a status repeats. */
const mostCharacters = 1_024

const empty: CallToolResult = { content: [] }

/** The state with what it gives or asks for, which only the extension has. @internal */
export const detailedTaskOf = (codec: RevisionCodec, record: TaskRecord): Tasks.DetailedTask => {
  const { asks = {}, error, result, status } = record
  const task = taskOf(codec, record)
  switch (status) {
    case "completed":
      // The request would have been answered with it as it is here.
      return { ...task, status, result: { resultType: "complete", ...codec.encode.callToolResult(result ?? empty) } }
    case "failed":
      // The revision of the client that began it may allow codes that this one forbids.
      return {
        ...task,
        status,
        error: error === undefined ? ErrorObject.internalError : { ...error, code: codec.errorCode(error.code) }
      }
    case "input_required":
      return { ...task, status, inputRequests: asks }
    case "working":
    case "cancelled":
      return { ...task, status }
  }
}
