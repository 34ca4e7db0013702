/**
 * Tasks in the words of both generations.
 *
 * The core names times `ttl` and `pollInterval`, wraps a task that was created, and tells a result by a request of its own.
 * The extension names them `ttlMs` and `pollIntervalMs`, gives a task that was created flat, and puts results into it.
 */
import { metaOf } from "@parley/mcp/wire/Envelope"
import type { RevisionCodec } from "@parley/mcp/wire/RevisionCodec"
import type { RevisionFeatures } from "@parley/mcp/wire/RevisionFeatures"
import type { Decoder } from "@parley/mcp/wire/WireIssue"
import * as WireIssue from "@parley/mcp/wire/WireIssue"
import { JsonObject, Relayed } from "@parley/protocol/shared"
import { memoize } from "effect/Function"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tasks from "../Tasks.ts"

const { isObject } = JsonObject

/** The members of a task by our names, and by those of the core. */
const names: ReadonlyArray<readonly [ours: string, core: string]> = [["ttlMs", "ttl"], [
  "pollIntervalMs",
  "pollInterval"
]]

const toCore = new Map(names)
const fromCore = new Map(names.map(([ours, core]) => [core, ours]))

/** Names members otherwise. A member that has such a name already gives way. */
const renamed = (record: Schema.JsonObject, by: ReadonlyMap<string, string>): Schema.JsonObject => {
  const taken = new Set(by.values())
  return Object.fromEntries(
    Object.entries(record).filter(([key]) => !taken.has(key)).map(([key, value]) => [by.get(key) ?? key, value])
  )
}

const encoder = (features: RevisionFeatures) => {
  const isCore = features.tasks === "core"
  const task = (task: Tasks.Task): Schema.JsonObject => isCore ? renamed(task, toCore) : task
  return {
    task,
    /** Only the extension has room for results, errors and questions. */
    detailedTask: (detailed: Tasks.DetailedTask): Schema.JsonObject => detailed,
    createTaskResult: ({ _meta: meta, task: created }: Tasks.CreateTaskResult): Schema.JsonObject => ({
      ...(isCore ? { task: task(created) } : { ...created, resultType: "task" }),
      ...(meta === undefined ? undefined : { _meta: meta })
    }),
    taskPage: (page: Tasks.TaskPage): Schema.JsonObject => ({ ...page, tasks: page.tasks.map(task) }),
    /** The member `task` of params, by which a requestor of the core generation asks for a task. */
    taskRequest: ({ ttlMs }: Tasks.TaskRequest): Schema.JsonObject => ttlMs === undefined ? {} : { ttl: ttlMs }
  }
}

const named = <A>(decode: Decoder<A>): Decoder<A> => (json) =>
  isObject(json) ? Result.mapError(decode(renamed(json, fromCore)), inCore) : decode(json)

/** The reason in the names of who sent it. */
const inCore = ({ issues }: WireIssue.WireIssue): WireIssue.WireIssue =>
  WireIssue.of(issues.map(({ message, path }) => ({
    message,
    path: path.map((key) => typeof key === "string" ? toCore.get(key) ?? key : key)
  })))

const task = WireIssue.decoder(Tasks.Task)
const detailedTask = WireIssue.decoder(Tasks.DetailedTask)
const taskPage = WireIssue.decoder(Tasks.TaskPage)
const createTaskResult = WireIssue.decoder(Tasks.CreateTaskResult)

const createdByCore = named(task)

const unwrapped: Decoder<Tasks.CreateTaskResult> = (json) =>
  createTaskResult(isObject(json) && isObject(json["task"]) ? { ...json, task: renamed(json["task"], fromCore) } : json)

const flat: Decoder<Tasks.CreateTaskResult> = (json) => {
  if (!isObject(json) || json["resultType"] !== "task") {
    return Result.fail(WireIssue.make("expected \"task\"", ["resultType"]))
  }
  const { _meta: meta, resultType: _, ...created } = json
  return createTaskResult(meta === undefined ? { task: created } : { task: created, _meta: meta })
}

const pageOfCore: Decoder<Tasks.TaskPage> = (json) =>
  taskPage(
    isObject(json) && Array.isArray(json["tasks"])
      ? { ...json, tasks: json["tasks"].map((one: unknown) => isObject(one) ? renamed(one, fromCore) : one) }
      : json
  )

const same = {
  taskRequest: named(WireIssue.decoder(Tasks.TaskRequest)),
  taskParams: WireIssue.decoder(Tasks.TaskParams),
  updateTaskParams: WireIssue.decoder(Tasks.UpdateTaskParams)
}

const decoder = ({ decode: { emptyResult }, features }: RevisionCodec) => {
  /** A result that must be complete, where results say so. */
  const complete = <A>(decode: Decoder<A>): Decoder<A> => (json) => Result.flatMap(emptyResult(json), decode)
  const isCore = features.tasks === "core"
  return {
    ...same,
    task: complete(isCore ? createdByCore : task),
    /** Only the extension sends it. */
    detailedTask: complete(isCore ? named(detailedTask) : detailedTask),
    createTaskResult: isCore ? unwrapped : flat,
    taskPage: complete(isCore ? pageOfCore : taskPage)
  }
}

/** Says which task a result, a question or a notification of the core generation belongs to. */
export const related = (record: Schema.JsonObject, taskId: string): Schema.JsonObject =>
  Relayed.carry({ ...record, _meta: Tasks.withRelatedTask(metaOf(record), taskId) }, record)

/** The records of tasks between us and a revision: the same value each time. */
export const of = memoize((codec: RevisionCodec) => ({ encode: encoder(codec.features), decode: decoder(codec) }))

export type TaskCodec = ReturnType<typeof of>
