/**
 * The requests about a task of a server, in either generation.
 *
 * They are sent again where the line fails: a task outlives a connection, and asking twice changes nothing.
 */
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { RequestOptions } from "../../../client/ClientOptions.ts"
import {
  InvalidResult,
  type McpCallError,
  type McpTaskError,
  TaskError,
  UnsupportedCapability
} from "../../../client/McpClientError.ts"
import type { InputRequest } from "../../../payload/Results.ts"
import * as Tasks from "../../../payload/Tasks.ts"
import type { ClientSession } from "../negotiation/ClientSession.ts"
import * as failures from "../negotiation/failures.ts"
import type { Agreed } from "../negotiation/Negotiation.ts"
import type { Sender, SendOptions } from "../requests/Sender.ts"

/** The state of a task. Only the extension gives more than `Tasks.Task` has. @internal */
export interface State extends Tasks.Task {
  readonly result?: Schema.JsonObject
  readonly error?: Tasks.TaskError
  readonly inputRequests?: { readonly [key: string]: InputRequest }
}

/** One task, and how it is asked for. @internal */
export interface Subject {
  readonly id: string
  readonly tool: string | undefined
  readonly options: Pick<RequestOptions, "maxTimeout" | "meta" | "timeout"> | undefined
}

/** @internal */
export interface TaskRequests {
  /** Fails with `TaskError` where the server does not know the task. */
  readonly get: (subject: Subject) => Effect.Effect<State, McpTaskError>
  /** The result of the call; the core generation gives it by a request of its own. */
  readonly result: (subject: Subject) => Effect.Effect<Schema.Json, McpCallError>
  /** As `result`, before the task has ended: the server answers when it has, and asks its questions meanwhile. */
  readonly resultLater: (subject: Subject) => Effect.Effect<Schema.Json, McpCallError>
  readonly update: (subject: Subject, inputResponses: Schema.JsonObject) => Effect.Effect<void, McpCallError>
  /** Succeeds where the task has ended already. */
  readonly cancel: (subject: Subject) => Effect.Effect<void, McpTaskError>
  /** Cancels a task for which nobody waits any more, if the server answers soon. */
  readonly abandon: (subject: Subject) => Effect.Effect<void>
}

/** Milliseconds that a server may take to cancel a task for which nobody waits any more. */
const farewell = 5_000

/** How often in a row an answer may be unreadable: it broke off, or is always too large. */
const mostUnreadable = 2

/** Makes the failure of a task that its server does not know. @internal */
export const failed = ({ id, tool }: Subject, reason: TaskError["reason"]): TaskError =>
  new TaskError({ task: id, ...(tool !== undefined && { tool }), reason })

/** @internal */
export const make = (sender: Sender, session: ClientSession, declares: boolean, isLasting: boolean): TaskRequests => {
  const send = (method: string, params: Schema.JsonObject, options: SendOptions | undefined) =>
    Effect.suspend(() => {
      const refusal = refusalOf(session.agreed(), method, declares)
      return refusal === undefined ? sender.send(method, params, options) : Effect.fail(refusal)
    })

  const isPassing = (error: McpCallError) => error._tag === "RequestTimeout" || failures.isPassing(error, isLasting)

  const lasting = <A>(effect: Effect.Effect<A, McpCallError>): Effect.Effect<A, McpCallError> => {
    const attempt = (count: number): Effect.Effect<A, McpCallError> =>
      Effect.catch(
        effect,
        (error) =>
          isPassing(error) && count <= (error._tag === "InvalidResponse" ? mostUnreadable : failures.mostInRow)
            ? Effect.andThen(failures.pauseAfter(count), attempt(count + 1))
            : Effect.fail(error)
      )
    return attempt(1)
  }

  const known = <A>(subject: Subject, effect: Effect.Effect<A, McpCallError>): Effect.Effect<A, McpTaskError> =>
    Effect.catchTag(effect, "ProtocolError", (error): Effect.Effect<A, McpTaskError> =>
      Effect.fail(
        error.code === ErrorCode.InvalidParams ? failed(subject, { _tag: "Unknown", text: error.text }) : error
      ))

  const ask = (method: string, { id, options }: Subject, more?: Schema.JsonObject) =>
    lasting(send(method, { taskId: id, ...more }, options))

  const get: TaskRequests["get"] = (subject) =>
    known(
      subject,
      Effect.flatMap(ask("tasks/get", subject), (json): Effect.Effect<State, McpCallError> => {
        const { codec } = session.agreed()
        const state: Result.Result<State, InvalidResult> = codec.features.tasks === "core"
          ? session.read("tasks/get", codec.decode.task, json)
          : session.read("tasks/get", codec.decode.detailedTask, json)
        return Result.isSuccess(state) && state.success.taskId !== subject.id ? another : Effect.fromResult(state)
      })
    )

  return {
    get,
    result: (subject) => ask("tasks/result", subject),
    resultLater: ({ id, options }) => send("tasks/result", { taskId: id }, { meta: options?.meta, isOpenEnded: true }),
    update: (subject, inputResponses) => Effect.asVoid(ask("tasks/update", subject, { inputResponses })),
    cancel: (subject) =>
      Effect.asVoid(
        Effect.catchTag(known(subject, ask("tasks/cancel", subject)), "TaskError", (unknown) =>
          // The core generation refuses to cancel a task that has ended as it refuses one that it does not know.
          Effect.flatMap(get(subject), ({ status }) => Tasks.isTerminal(status) ? Effect.void : Effect.fail(unknown)))
      ),
    abandon: ({ id, options }) =>
      Effect.ignore(send("tasks/cancel", { taskId: id }, { meta: options?.meta, timeout: farewell }))
  }
}

const another = Effect.fail(
  new InvalidResult({ method: "tasks/get", path: ["taskId"], rule: "it is the state of another task" })
)

/** Why a server cannot be asked for tasks, if so. */
const refusalOf = (
  { capabilities, codec }: Agreed,
  method: string,
  declares: boolean
): UnsupportedCapability | undefined => {
  switch (codec.features.tasks) {
    case "none":
      return new UnsupportedCapability({ method })
    case "core": {
      const capability = method === "tasks/cancel" ? "tasks.cancel" : "tasks"
      const tasks = capabilities?.tasks
      const isMet = method === "tasks/cancel" ? tasks?.cancel !== undefined : tasks !== undefined
      return isMet ? undefined : new UnsupportedCapability({ method, capability })
    }
    case "extension": {
      const isMet = declares && (capabilities === undefined || Tasks.hasExtension(capabilities))
      return isMet ? undefined : new UnsupportedCapability({ method, capability: `extensions.${Tasks.extension}` })
    }
  }
}
