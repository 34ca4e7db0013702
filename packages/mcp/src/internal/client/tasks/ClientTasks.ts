/**
 * The tasks of a server, for its client: their parts, joined, and the handles of single tasks.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { CallClock } from "../../../client/CallClock.ts"
import type { TaskSubject } from "../../../client/ClientOptions.ts"
import type { McpTaskError, McpToolError } from "../../../client/McpClientError.ts"
import type { TaskHandle } from "../../../client/McpTask.ts"
import type { CallToolResult } from "../../../payload/Results.ts"
import type { Task } from "../../../payload/Tasks.ts"
import type { Answer } from "../answers/Answers.ts"
import { mostAtOnce } from "../answers/InputRounds.ts"
import type { Notices } from "../changes/Notices.ts"
import type * as ListReader from "../lists/ListReader.ts"
import type { ClientConfig } from "../negotiation/ClientConfig.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"
import type { Sender } from "../requests/Sender.ts"
import * as TaskFollower from "./TaskFollower.ts"
import * as TaskRequests from "./TaskRequests.ts"
import * as TaskResults from "./TaskResults.ts"

/** @internal */
export interface Options {
  readonly session: ClientSession
  readonly sender: Sender
  readonly notices: Notices
  readonly answer: Answer
  readonly clock: CallClock
  readonly config: ClientConfig
  readonly list: ReturnType<typeof ListReader.make>
  /** Whether a request may succeed after another one has lost its connection. */
  readonly isLasting: boolean
  readonly listen: TaskFollower.Options["listen"]
  /** Holds a result against the tool, and fails where the result says that it failed. */
  readonly check: (subject: TaskRequests.Subject, json: Schema.Json) => Effect.Effect<CallToolResult, McpToolError>
}

/** The handles of single tasks. @internal */
export interface TaskHandles {
  readonly handle: (subject: TaskRequests.Subject) => TaskHandle
  /**
   * Waits for a task that a call of ours has become, and cancels it where the waiting ends before it. Only what
   * `restore` is given can be interrupted.
   */
  readonly wait: (
    subject: TaskRequests.Subject,
    created: Task,
    hear: (state: Task) => void,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) => Effect.Effect<CallToolResult, McpToolError>
}

/** @internal */
export interface ClientTasks extends TaskHandles {
  readonly task: (id: string, options?: TaskSubject) => TaskHandle
  readonly list: ListReader.ListReader<Task>
}

/** @internal */
export const make = (options: Options): ClientTasks => {
  const { answer, check, clock, config, isLasting, list, listen, notices, sender, session } = options
  const { declares, maxTimeout, timeout } = config.tasks
  const requests = TaskRequests.make(sender, session, declares, isLasting)
  const follow = TaskFollower.make({ session, notices, requests, clock, listen, timeout, maxTimeout })
  const mostQuestions = config.maxInputRounds * mostAtOnce
  const settle = TaskResults.make({ session, requests, follow, answer, clock, mostQuestions })
  const handles = handlesOf(requests, follow, settle, check)
  return {
    ...handles,
    task: (id, { tool, ...options } = {}) => handles.handle({ id, tool, options }),
    list: list({ method: "tasks/list", decoder: ({ decode }) => decode.taskPage, entries: ({ tasks }) => tasks })
  }
}

/** How many tasks are remembered for the questions that they have asked: more than a client waits for at once. */
const mostRemembered = 1_024

/** How many states a slow reader of a stream may be behind. */
const mostStates = 64

/** Handles of tasks: one for a task that a call of ours has become, or for one whose id somebody has kept. */
const handlesOf = (
  requests: TaskRequests.TaskRequests,
  follow: TaskFollower.Follow,
  settle: TaskResults.Settle,
  check: Options["check"]
): TaskHandles => {
  /** By the id of a task, the keys of its questions, so that all that wait for it ask a person once. */
  const remembered = new Map<string, Set<string>>()

  const begin = (subject: TaskRequests.Subject): TaskResults.Awaited => {
    const taken = remembered.get(subject.id) ?? new Set()
    remembered.delete(subject.id)
    remembered.set(subject.id, taken)
    const [oldest] = remembered.keys()
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest)
    return { ...subject, taken, hasEnded: false }
  }

  const settled = (
    task: TaskResults.Awaited,
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
