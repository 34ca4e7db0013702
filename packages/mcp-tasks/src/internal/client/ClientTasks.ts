/**
 * The tasks of a server, for its client: their parts, joined, and the handles of single tasks.
 */
import type { ClientHost } from "@parley/mcp/client/ClientExtension"
import type { McpTaskError } from "@parley/mcp/client/McpClientError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Task } from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"
import * as TaskFollower from "./TaskFollower.ts"
import * as TaskRequests from "./TaskRequests.ts"
import * as TaskResults from "./TaskResults.ts"
import * as ToolTasks from "./ToolTasks.ts"

/** The tasks of a client, and its calls of tools. @internal */
export const make = (host: ClientHost, times: TaskFollower.Times) => {
  const requests = TaskRequests.make(host)
  const follow = TaskFollower.make(host, requests, times)
  const handles = handlesOf(host, requests, follow, TaskResults.make(host, requests, follow))
  const list = host.list({
    method: "tasks/list",
    decoder: (codec) => TaskCodec.of(codec).decode.taskPage,
    entries: ({ tasks }) => tasks
  })
  /** Why the tasks cannot be listed, if so. */
  const refusal = Effect.suspend(() => {
    const refusal = TaskRequests.refusalOf(host, "tasks/list")
    return refusal === undefined ? Effect.void : Effect.fail(refusal)
  })
  return {
    ...ToolTasks.make(host, handles.handle, handles.wait),
    handle: handles.handle,
    all: Stream.unwrap(Effect.as(refusal, list.stream)),
    list: (options?: Parameters<typeof list.all>[0]) => Effect.andThen(refusal, list.all(options))
  }
}

/** How many tasks are remembered for the questions that they have asked: more than a client waits for at once. */
const mostRemembered = 1_024

/** How many states a slow reader of a stream may be behind. */
const mostStates = 64

/** Handles of tasks: one for a task that a call of ours has become, or for one whose id somebody has kept. */
const handlesOf = (
  host: ClientHost,
  requests: TaskRequests.TaskRequests,
  follow: TaskFollower.Follow,
  settle: TaskResults.Settle
) => {
  const check = ({ id, tool = `of task ${id}` }: TaskRequests.Subject, json: Parameters<ClientHost["check"]>[1]) =>
    host.check(tool, json)

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

  const handle = (subject: TaskRequests.Subject) => ({
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

  /**
   * Waits for a task that a call of ours has become, and cancels it where the waiting ends before it. Only what
   * `restore` is given can be interrupted.
   */
  const wait: ToolTasks.Wait = (subject, created, hear, restore) =>
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
