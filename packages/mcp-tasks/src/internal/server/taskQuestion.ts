/**
 * A question that is a task of the client, in the core generation: the client answers at once that it will, and is asked
 * how far it is until it has the answer.
 */
import type { QuestionWay } from "@parley/mcp/McpContext"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import { type Caller, type CallError, RequestTimeout } from "@parley/peer/Caller"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tasks from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"

/** Milliseconds between two looks at a task whose client does not say, and the least and the most of one that does. */
const pause = { usual: 1_000, least: 100, most: 60_000 }

/**
 * The answer of the client, within a time in all; `undefined` where the client takes no such tasks. A question that is given
 * up is cancelled.
 *
 * @internal
 */
export const ask: QuestionWay = (
  { caller, capabilities, request: { method, params }, protocolVersion, timeout }
) => {
  const codec = RevisionCodec.of(protocolVersion)
  const can = method === "sampling/createMessage" ? Tasks.canSample : Tasks.canElicit
  if (codec.features.tasks !== "core" || !can(capabilities)) return undefined
  const milliseconds = Duration.toMillis(Duration.fromInputUnsafe(timeout))
  const request = { ...params, task: TaskCodec.of(codec).encode.taskRequest({ ttlMs: Math.ceil(milliseconds) }) }
  const answered = Effect.flatMap(caller.request(method, request, { timeout }), (created) => {
    const task = TaskCodec.of(codec).decode.createTaskResult(created)
    // A client that has answered at once has made no task.
    if (Result.isFailure(task)) return Effect.succeed(created)
    const { taskId } = task.success.task
    return Effect.onInterrupt(
      settled(caller, codec, task.success.task, timeout),
      () => Effect.ignore(caller.request("tasks/cancel", { taskId }, { timeout: grace }))
    )
  })
  return Effect.timeoutOrElse(answered, {
    duration: milliseconds,
    orElse: () => Effect.fail(new RequestTimeout({ method, milliseconds }))
  })
}

/** Milliseconds that a client has to hear that a question is given up. */
const grace = 1_000

const settled = (
  caller: Caller,
  codec: RevisionCodec.RevisionCodec,
  { pollIntervalMs = pause.usual, status, taskId }: Tasks.Task,
  timeout: Duration.Input
): Effect.Effect<Schema.Json, CallError> => {
  // A client that needs something of us asks for it, whatever we do.
  if (Tasks.isTerminal(status)) return caller.request("tasks/result", { taskId }, { timeout })
  const looked = Effect.delay(
    caller.request("tasks/get", { taskId }, { timeout }),
    Duration.millis(Math.min(Math.max(pollIntervalMs, pause.least), pause.most))
  )
  return Effect.flatMap(looked, (json) => {
    const task = TaskCodec.of(codec).decode.task(json)
    return Result.isSuccess(task)
      ? settled(caller, codec, task.success, timeout)
      // The result says what is wrong, if anything is.
      : caller.request("tasks/result", { taskId }, { timeout })
  })
}
