/**
 * Handles of tasks: one for a task that a call of ours has become, or for one whose id somebody has kept.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { McpTaskError, McpToolError } from "../../../client/McpClientError.ts"
import type { TaskHandle } from "../../../client/McpTask.ts"
import type { CallToolResult } from "../../../payload/Results.ts"
import type { Task } from "../../../payload/Tasks.ts"
import type { Follow } from "./TaskFollower.ts"
import type { Subject, TaskRequests } from "./TaskRequests.ts"
import type { Awaited, Settle } from "./TaskResults.ts"

/** @internal */
export interface Options {
  readonly requests: TaskRequests
  readonly follow: Follow
  readonly settle: Settle
  /** Holds a result against the tool, and fails where the result says that it failed. */
  readonly check: (subject: Subject, json: Schema.Json) => Effect.Effect<CallToolResult, McpToolError>
}

/** @internal */
export interface TaskHandles {
  readonly handle: (subject: Subject) => TaskHandle
  /**
   * Waits for a task that a call of ours has become, and cancels it where the waiting ends before it. Only what
   * `restore` is given can be interrupted.
   */
  readonly wait: (
    subject: Subject,
    created: Task,
    hear: (state: Task) => void,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) => Effect.Effect<CallToolResult, McpToolError>
}

/** How many tasks are remembered for the questions that they have asked: more than a client waits for at once. */
const mostRemembered = 1_024

/** How many states a slow reader of a stream may be behind. */
const mostStates = 64

/** @internal */
export const make = ({ check, follow, requests, settle }: Options): TaskHandles => {
  /** By the id of a task, the keys of its questions, so that all that wait for it ask a person once. */
  const remembered = new Map<string, Set<string>>()

  const begin = (subject: Subject): Awaited => {
    const taken = remembered.get(subject.id) ?? new Set()
    remembered.delete(subject.id)
    remembered.set(subject.id, taken)
    const [oldest] = remembered.keys()
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest)
    return { ...subject, taken, hasEnded: false }
  }

  const settled = (
    task: Awaited,
    hear: (state: Task, isChanged: boolean) => void,
    created?: Task
  ) =>
    Effect.ensuring(
      settle(task, hear, created),
      Effect.sync(() => {
        if (task.hasEnded) remembered.delete(task.id)
      })
    )

  const handle: TaskHandles["handle"] = (subject) => ({
    id: subject.id,
    get: requests.get(subject),
    states: Stream.callback<Task, McpTaskError>((queue) =>
      Effect.matchCauseEffect(
        follow(subject, (state, isChanged) =>
          Effect.sync(() => {
            if (isChanged) Queue.offerUnsafe(queue, state)
          })),
        { onFailure: (cause) => Queue.failCause(queue, cause), onSuccess: () => Queue.end(queue) }
      ), { bufferSize: mostStates, strategy: "sliding" }),
    await: Effect.suspend(() => settled(begin(subject), () => {})).pipe(
      Effect.flatMap((json) => check(subject, json))
    ),
    cancel: requests.cancel(subject)
  })

  const wait: TaskHandles["wait"] = (subject, created, hear, restore) =>
    Effect.suspend(() => {
      const task = begin(subject)
      const changed = (state: Task, isChanged: boolean) => {
        if (isChanged) hear(state)
      }
      return Effect.onExit(
        restore(settled(task, changed, created)),
        (exit) => Exit.isSuccess(exit) || task.hasEnded ? Effect.void : requests.abandon(subject)
      )
    }).pipe(Effect.flatMap((json) => check(subject, json)))

  return { handle, wait }
}
