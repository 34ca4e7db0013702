/**
 * The requests about a task of a server, in either generation.
 *
 * They are sent again where the line fails: a task outlives a connection, and asking twice changes nothing.
 */
import type { ClientHost } from "@parley/mcp/client/ClientExtension"
import {
  InvalidResult,
  type McpCallError,
  type McpTaskError,
  TaskError,
  UnsupportedCapability
} from "@parley/mcp/client/McpClientError"
import type { RequestOptions } from "@parley/mcp/client/RequestOptions"
import type { InputRequest } from "@parley/mcp/payload/Results"
import { ErrorCode } from "@parley/protocol/shared"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tasks from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"

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

/** Makes the failure of a task that its server does not know. @internal */
export const failed = ({ id, tool }: Subject, reason: TaskError["reason"]): TaskError =>
  new TaskError({ task: id, ...(tool !== undefined && { tool }), reason })

/** @internal */
export const make = (host: ClientHost): TaskRequests => {
  const send = (method: string, { id, options }: Subject, more?: Schema.JsonObject, own?: SendOptions) =>
    Effect.suspend(() => {
      const refusal = refusalOf(host, method)
      return refusal === undefined
        ? host.request(method, { taskId: id, ...more }, { ...(own ?? options), name: id })
        : Effect.fail(refusal)
    })

  const known = <A>(subject: Subject, effect: Effect.Effect<A, McpCallError>): Effect.Effect<A, McpTaskError> =>
    Effect.catchTag(effect, "ProtocolError", (error): Effect.Effect<A, McpTaskError> =>
      Effect.fail(
        error.code === ErrorCode.InvalidParams ? failed(subject, { _tag: "Unknown", text: error.text }) : error
      ))

  const ask = (method: string, subject: Subject, more?: Schema.JsonObject) => host.retried(send(method, subject, more))

  const get: TaskRequests["get"] = (subject) =>
    known(
      subject,
      Effect.flatMap(ask("tasks/get", subject), (json): Effect.Effect<State, McpCallError> => {
        const codec = host.codec()
        const { decode } = TaskCodec.of(codec)
        const state: Result.Result<State, InvalidResult> = codec.features.tasks === "core"
          ? host.read("tasks/get", decode.task, json)
          : host.read("tasks/get", decode.detailedTask, json)
        return Result.isSuccess(state) && state.success.taskId !== subject.id ? another : Effect.fromResult(state)
      })
    )

  return {
    get,
    result: (subject) => ask("tasks/result", subject),
    resultLater: (subject) =>
      send("tasks/result", subject, undefined, { meta: subject.options?.meta, isOpenEnded: true }),
    update: (subject, inputResponses) => Effect.asVoid(ask("tasks/update", subject, { inputResponses })),
    cancel: (subject) =>
      Effect.asVoid(
        Effect.catchTag(known(subject, ask("tasks/cancel", subject)), "TaskError", (unknown) =>
          // The core generation refuses to cancel a task that has ended as it refuses one that it does not know.
          Effect.flatMap(get(subject), ({ status }) => Tasks.isTerminal(status) ? Effect.void : Effect.fail(unknown)))
      ),
    abandon: (subject) =>
      Effect.ignore(send("tasks/cancel", subject, undefined, { meta: subject.options?.meta, timeout: farewell }))
  }
}

type SendOptions = Parameters<ClientHost["request"]>[2] & {}

const another = Effect.fail(
  new InvalidResult({ method: "tasks/get", path: ["taskId"], rule: "it is the state of another task" })
)

/** Why a server cannot be asked for tasks, if so. @internal */
export const refusalOf = (host: ClientHost, method: string): UnsupportedCapability | undefined => {
  const capabilities = host.capabilities()
  switch (host.codec().features.tasks) {
    case "none":
      return new UnsupportedCapability({ method })
    case "core": {
      const tasks = capabilities?.tasks
      const [capability, declared] = method === "tasks/cancel"
        ? ["tasks.cancel", tasks?.cancel] as const
        : method === "tasks/list"
        ? ["tasks.list", tasks?.list] as const
        : ["tasks", tasks] as const
      return declared !== undefined ? undefined : new UnsupportedCapability({ method, capability })
    }
    case "extension": {
      if (method === "tasks/list") return new UnsupportedCapability({ method })
      const isMet = capabilities === undefined || Tasks.hasExtension(capabilities)
      return isMet ? undefined : new UnsupportedCapability({ method, capability: `extensions.${Tasks.extension}` })
    }
  }
}
