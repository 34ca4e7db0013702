/**
 * Questions that a server of 2025-11-25 asks by tasks: it is answered with a task at once, and asks for the result later.
 *
 * ```
 *   asked ─→ working ──the handler answers─→ completed      any of them ──its time is over─→ forgotten
 *               ├──────the handler refuses─→ failed
 *               └──────the server cancels──→ cancelled
 * ```
 *
 * The tasks are in memory, and end with the client. There is room for some; where all of them run, the next is refused.
 */
import type { ClientHost, ServerRequest } from "@parley/mcp/client/ClientExtension"
import { metaOf } from "@parley/mcp/wire/Envelope"
import * as McpError from "@parley/mcp/wire/McpError"
import type { RevisionCodec } from "@parley/mcp/wire/RevisionCodec"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { ErrorCode, Excerpt, JsonObject } from "@parley/protocol/shared"
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tasks from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"
import * as TaskFollower from "./TaskFollower.ts"

/** How many tasks of a server are kept, whether they run or have ended: each may hold what a person is asked. */
const mostTasks = 64

/** How long a task is kept where its server does not say: a server asks for a result soon after it is there. */
const usualLife = 5 * 60_000

/** How long a task is kept at most: a person who has not answered by then is not there. */
const longestLife = 60 * 60_000

/** Milliseconds that a server should wait before it asks again. */
const pause = 1_000

interface Asked {
  task: Tasks.Task
  /** The answer, when it is there. */
  readonly answered: Deferred.Deferred<Schema.JsonObject, ErrorResponse.ErrorResponse>
  readonly fiber: Fiber.Fiber<unknown, unknown>
  /** Ends when the time of the task is over. */
  life: Fiber.Fiber<void> | undefined
}

type Served = Effect.Effect<Schema.JsonObject, ErrorResponse.ErrorResponse>

/**
 * Answers a request about tasks, one that asks for a task, or one that a task of the server asks. It gives `undefined` where
 * a request has nothing to do with tasks.
 *
 * @internal
 */
export type AnswerTasks = (request: ServerRequest) => Served | undefined

/** A client that has declared none has no tasks. @internal */
export const make = ({ declared, notify, scope }: ClientHost): AnswerTasks => {
  const kept = new Map<string, Asked>()
  const capabilities = declared("legacy")
  const mayBeTask = new Map([
    ["sampling/createMessage", Tasks.canSample(capabilities)],
    ["elicitation/create", Tasks.canElicit(capabilities)]
  ])

  const change = ({ task: { taskId } }: Asked, status: Tasks.TaskStatus, statusMessage?: string) =>
    Effect.map(date, (lastUpdatedAt) => {
      const asked = kept.get(taskId)
      if (asked === undefined) return
      asked.task = { ...asked.task, status, lastUpdatedAt, ...(statusMessage !== undefined && { statusMessage }) }
    })

  const tell = (codec: RevisionCodec, asked: Asked) =>
    Effect.ignore(Effect.suspend(() => notify(TaskFollower.status, TaskCodec.of(codec).encode.task(asked.task))))

  const begin = (
    { answer, codec }: ServerRequest,
    params: Schema.JsonObject,
    { ttlMs = usualLife }: Tasks.TaskRequest
  ): Served =>
    Effect.gen(function*() {
      if (kept.size >= mostTasks) {
        const oldest = [...kept.values()].find(({ task }) => Tasks.isTerminal(task.status))
        if (oldest === undefined) {
          return yield* ErrorResponse.make(McpError.Overloaded, `${mostTasks} tasks of this client run already`)
        }
        kept.delete(oldest.task.taskId)
        oldest.life?.interruptUnsafe()
      }
      const now = yield* date
      const taskId = crypto.randomUUID()
      const life = Math.min(Math.max(ttlMs, 0), longestLife)
      const task: Tasks.Task = {
        taskId,
        status: "working",
        createdAt: now,
        lastUpdatedAt: now,
        ttlMs: life,
        pollIntervalMs: pause
      }
      const answered = Deferred.makeUnsafe<Schema.JsonObject, ErrorResponse.ErrorResponse>()
      const run = Effect.onExit(answer(params), (exit) =>
        Effect.suspend(() => {
          if (Tasks.isTerminal(asked.task.status)) return Effect.void
          const result = Exit.isSuccess(exit) || Exit.hasFails(exit)
            ? exit
            : Exit.fail(ErrorResponse.internalError(Cause.squash(exit.cause)))
          return change(asked, Exit.isSuccess(exit) ? "completed" : "failed").pipe(
            Effect.andThen(Deferred.done(answered, result)),
            // An interrupted fiber must not wait for the server.
            Effect.andThen(Exit.hasInterrupts(exit) ? Effect.void : tell(codec, asked))
          )
        }))
      const fiber = yield* Effect.forkIn(run, scope)
      const asked: Asked = { task, answered, fiber, life: undefined }
      kept.set(taskId, asked)
      asked.life = yield* Effect.forkIn(Effect.andThen(Effect.sleep(life), forget(asked)), scope)
      return TaskCodec.of(codec).encode.createTaskResult({ task })
    })

  /** A task whose time is over does not run any more. */
  const forget = ({ answered, fiber, task: { taskId } }: Asked) =>
    Effect.suspend(() => {
      kept.delete(taskId)
      return Effect.andThen(Deferred.fail(answered, unknown(taskId)), Fiber.interrupt(fiber))
    })

  const cancel = (codec: RevisionCodec, asked: Asked): Served =>
    Effect.suspend(() => {
      const { answered, fiber, task: { status } } = asked
      if (Tasks.isTerminal(status)) return Effect.fail(invalid(`the task has ended already: it is ${status}`))
      const text = "The server cancelled the task"
      return change(asked, "cancelled", text).pipe(
        Effect.andThen(Deferred.fail(answered, ErrorResponse.make(ErrorCode.InternalError, text))),
        Effect.andThen(Fiber.interrupt(fiber)),
        Effect.map(() => TaskCodec.of(codec).encode.task(asked.task))
      )
    })

  const resultOf = ({ answered, task: { taskId } }: Asked): Served =>
    Effect.map(Deferred.await(answered), (result) => TaskCodec.related(result, taskId))

  const about = (codec: RevisionCodec, params: Schema.Json | undefined, use: (asked: Asked) => Served): Served =>
    Result.match(TaskCodec.of(codec).decode.taskParams(params ?? {}), {
      onFailure: (issue) => Effect.fail(McpError.invalidParams(issue)),
      onSuccess: ({ taskId }) => {
        const asked = kept.get(taskId)
        return asked === undefined ? Effect.fail(unknown(taskId)) : use(asked)
      }
    })

  return (request) => {
    const { answer, codec, method, params } = request
    if (codec.features.tasks !== "core") return undefined
    const { decode, encode } = TaskCodec.of(codec)
    if (capabilities.tasks !== undefined) {
      switch (method) {
        case "tasks/get":
          return about(codec, params, ({ task }) => Effect.succeed(encode.task(task)))
        case "tasks/result":
          return about(codec, params, resultOf)
        case "tasks/cancel":
          return about(codec, params, (asked) => cancel(codec, asked))
        case "tasks/list":
          return isObject(params) && Object.hasOwn(params, "cursor")
            ? Effect.fail(invalid("there is no such cursor: all tasks are on one page"))
            : Effect.sync(() => encode.taskPage({ tasks: [...kept.values()].map(({ task }) => task) }))
      }
    }
    if (!isObject(params)) return undefined
    // An answer says which task it belongs to as its question does.
    const of = Tasks.relatedTaskOf(metaOf(params))
    const answered = of === undefined ? request : {
      ...request,
      answer: (params: Schema.Json | undefined) => Effect.map(answer(params), (result) => TaskCodec.related(result, of))
    }
    if (mayBeTask.get(method) !== true || !Object.hasOwn(params, "task")) {
      return of === undefined ? undefined : answered.answer(params)
    }
    const { task, ...asked } = params
    return Result.match(decode.taskRequest(task), {
      onFailure: (issue) => Effect.fail(McpError.invalidParams(issue)),
      onSuccess: (wish) => begin(answered, asked, wish)
    })
  }
}

const { isObject } = JsonObject

const invalid = (message: string) => ErrorResponse.make(ErrorCode.InvalidParams, message)

const unknown = (taskId: string) => invalid(`there is no task ${Excerpt.line(taskId)}: it has expired, or never was`)

const date = Effect.map(DateTime.now, DateTime.formatIso)
