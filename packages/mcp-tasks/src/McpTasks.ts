/**
 * Tasks of a server: calls of tools that are answered with a handle, and go on without their request.
 *
 * A tool whose calls may be tasks has the option `optional` or `required` among its `extensions`, and requires this service.
 * `McpTasks` keeps the states of tasks in the `Journal` of the context, and runs their handlers in its own Scope. It writes a
 * state to the journal before the client gets it: after `kill -9`, or on another node with the same journal, a task is still
 * there. A task whose process has ended fails with -31002, or runs again here where its tool allows that by `resumable`.
 *
 * A node that runs tasks writes to the journal once in a third of `lease`. A node that is silent for `lease` counts as ended.
 *
 * ```ts run
 * import { McpMemoryClient, McpServer, McpTool } from "@parley/mcp"
 * import { McpTasks, TaskClient } from "@parley/mcp-tasks"
 * import { Effect, Layer, Schema } from "effect"
 *
 * const options = { params: { year: Schema.Int }, extensions: [McpTasks.optional()] }
 * const report = McpTool.make("report", options, ({ year }) => Effect.succeed(`the year ${year}`))
 *
 * const program = Effect.gen(function*() {
 *   const client = yield* McpMemoryClient.make({ name: "me", version: "1.0.0", extensions: [TaskClient.use()] })
 *   const extensions = [TaskClient.call({ onTask: ({ status }) => console.log(status) })]
 *   console.log((yield* client.callTool("report", { year: 1815 }, { extensions })).content)
 *   // => working
 *   // => completed
 *   // => [ { type: 'text', text: 'the year 1815' } ]
 * })
 *
 * const tasks = McpTasks.layerMemory({ ttl: "10 minutes", pollInterval: "1 millis" })
 * const server = McpServer.layer({ name: "reports", version: "1.0.0", features: [report] })
 * await program.pipe(Effect.scoped, Effect.provide(Layer.provide(server, tasks)), Effect.runPromise)
 * ```
 *
 * @since 0.1.0
 */
import type { QuestionWay } from "@parley/mcp/McpContext"
import type { ServerExtension } from "@parley/mcp/server/ServerExtension"
import type { ToolOption } from "@parley/mcp/server/ToolExtension"
import { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import * as Limits from "@parley/protocol/Limits"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Bounds, Home, TaskOption } from "./internal/server/Home.ts"
import * as serving from "./internal/server/serving.ts"
import { rules } from "./internal/server/taskMethods.ts"
import * as taskQuestion from "./internal/server/taskQuestion.ts"
import * as Tasks from "./Tasks.ts"

/**
 * The options of the tasks of a tool.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolTask extends Omit<TaskOption, "support"> {}

/**
 * The bounds of the tasks of a server.
 *
 * @category models
 * @since 0.1.0
 */
export interface McpTasksOptions {
  /** How long a task is kept from its creation, where its client does not say. An hour by default. */
  readonly ttl?: Duration.Input | undefined
  /** How long a task may be kept at most, whatever its client wants. A day by default, as long as a journal keeps texts. */
  readonly maxTtl?: Duration.Input | undefined
  /** How long clients should wait before they ask again. A second by default. */
  readonly pollInterval?: Duration.Input | undefined
  /** How many tasks run in this process. 1,024 by default. */
  readonly running?: number | undefined
  /** How many of them are of one principal. 64 by default. */
  readonly runningPerPrincipal?: number | undefined
  /** How many tasks that were made in this process are kept. 16,384 by default. */
  readonly kept?: number | undefined
  /** How many tasks of one principal are kept, of all processes. 1,024 by default. */
  readonly keptPerPrincipal?: number | undefined
  /** How many characters the result of a task may have, as JSON. 1 Mi by default. */
  readonly resultSize?: number | undefined
  /** How long a process may be silent before others count its tasks as lost. 30 seconds by default. */
  readonly lease?: Duration.Input | undefined
}

/**
 * The journal, the bounds and the Scope of the tasks of a server.
 *
 * @category services
 * @since 0.1.0
 */
export interface McpTasks extends Home {}

/** The service of `McpTasks`. @category services @since 0.1.0 */
export const McpTasks: Context.Service<McpTasks, McpTasks> = Context.Service("@parley/mcp-tasks/McpTasks")

/**
 * Keeps tasks in the `Journal` of the context, which must keep texts for as long as `maxTtl`. Without one, they are in
 * memory, and gone with the process.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: McpTasksOptions = {}): Effect.Effect<McpTasks, never, Scope.Scope> =>
  Effect.contextWith((context: Context.Context<Scope.Scope>) => {
    const journal = Context.getOrUndefined(context, Journal)
    const bounds = boundsOf(options)
    return Effect.map(
      journal === undefined ? MemoryNodes.makeJournal(memory(bounds)) : Effect.succeed(journal),
      (journal) => ({ journal, bounds, scope: Context.get(context, Scope.Scope) })
    )
  })

/** Keeps tasks in the `Journal` of the context, else in memory. A new layer at each call. @category layers @since 0.1.0 */
export const layer = (options: McpTasksOptions = {}): Layer.Layer<McpTasks> => Layer.effect(McpTasks, make(options))

/**
 * Keeps tasks in memory, whatever the context has: they are gone with the process. A new layer at each call.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory = (options: McpTasksOptions = {}): Layer.Layer<McpTasks> =>
  Layer.provide(layer(options), MemoryNodes.layerJournal(memory(boundsOf(options))))

/**
 * The extension of tasks, of both generations. A tool with an option of it brings it to its server; a server whose first such
 * tool is added later has it among its `extensions`.
 *
 * @category constants
 * @since 0.1.0
 */
export const extension: ServerExtension<McpTasks> = {
  _tag: "McpExtension",
  info: { name: Tasks.extension },
  isOfTools: true,
  era: undefined,
  settings: undefined,
  readClient: undefined,
  methods: rules,
  topics: new Map([["taskIds", { method: "notifications/tasks", key: "taskId" }]]),
  features: [],
  bind: (context, host) => {
    const home = Context.getOrUndefined(context, McpTasks)
    if (home === undefined) throw new TypeError("a tool has tasks, and there is no `McpTasks` for them")
    return serving.bind(home, host, context)
  }
}

const optionOf = (option: TaskOption): ToolOption<McpTasks> => ({
  extension,
  value: option,
  info: { execution: { taskSupport: option.support } }
})

/**
 * The option of a tool whose calls are tasks for clients that know tasks, or that ask for one. Calls of other clients are
 * answered as any other.
 *
 * @category options
 * @since 0.1.0
 */
export const optional = (task: ToolTask = {}): ToolOption<McpTasks> => optionOf({ ...task, support: "optional" })

/**
 * The option of a tool of which every call is a task. Clients that do not know tasks are refused.
 *
 * @category options
 * @since 0.1.0
 */
export const required = (task: ToolTask = {}): ToolOption<McpTasks> => optionOf({ ...task, support: "required" })

/**
 * The way of a question that is a task of the client, as only 2025-11-25 knows, where the client takes such: it says at once
 * that it will answer, and is asked for the answer later, so that no stream has to stay open. It is for `via` of `elicit` and
 * `sample`, and needs no `McpTasks`.
 *
 * ```ts
 * import { McpTool } from "@parley/mcp"
 * import { McpTasks } from "@parley/mcp-tasks"
 * import { Effect, Schema } from "effect"
 *
 * const form = { message: "May it be sent?", fields: { sure: Schema.Boolean } }
 *
 * export const send = McpTool.make("send", {}, (_, call) =>
 *   Effect.map(call.elicit("sure", form, { via: McpTasks.asTask }), ({ _tag }) => _tag))
 * ```
 *
 * @category options
 * @since 0.1.0
 */
export const asTask: QuestionWay = taskQuestion.ask

/** Texts of one key that a journal of memory keeps: of a state only the last counts. */
const memoryCount = 1_024

const memory = ({ maxTtl }: Bounds) => ({ count: memoryCount, age: maxTtl })

const boundsOf = (options: McpTasksOptions): Bounds => {
  const millis = (name: "lease" | "maxTtl" | "pollInterval" | "ttl", byDefault: Duration.Input) => {
    const time = Duration.toMillis(Duration.fromInputUnsafe(options[name] ?? byDefault))
    // A journal must not keep a task for ever.
    if (!Number.isFinite(time)) throw new RangeError(`\`${name}\` of tasks is ${time}, but must have an end`)
    return Math.max(1, Math.round(time))
  }
  const maxTtl = millis("maxTtl", "1 day")
  return {
    ttl: Math.min(millis("ttl", "1 hour"), maxTtl),
    maxTtl,
    pollInterval: millis("pollInterval", "1 second"),
    lease: millis("lease", "30 seconds"),
    ...Limits.checked({
      running: options.running ?? 1_024,
      runningPerPrincipal: options.runningPerPrincipal ?? 64,
      kept: options.kept ?? 16_384,
      keptPerPrincipal: options.keptPerPrincipal ?? 1_024,
      resultSize: options.resultSize ?? 1_048_576
    })
  }
}
