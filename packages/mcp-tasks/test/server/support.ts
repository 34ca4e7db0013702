/** Servers with tools that are tasks, and what tests ask of them. */
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { type Journal, Journal as JournalService } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Context, Effect, type Exit, Layer, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Json, type Line, modern } from "../../../mcp/test/server/support/line.ts"

export const text = (value: string) => [{ type: "text", text: value }]

/** Says how far it is, waits, and says whether it was a task. */
export const wait = McpTool.make(
  "wait",
  { params: { seconds: Schema.Finite }, extensions: [McpTasks.optional()] },
  ({ seconds }, call) =>
    Effect.gen(function*() {
      yield* call.progress({ progress: 1, total: 2, message: "half of it" })
      yield* Effect.sleep(seconds * 1_000)
      return `waited as ${call.task === undefined ? "a request" : "a task"}`
    })
)

export const must = McpTool.make(
  "must",
  { extensions: [McpTasks.required()] },
  () => Effect.fail(new Error("it broke"))
)

export const plain = McpTool.make("plain", {}, () => Effect.succeed("now"))

/** Asks its client for a name, and gives it, or the way in which it was refused. */
export const asks = McpTool.make(
  "asks",
  { extensions: [McpTasks.optional()] },
  (_, call) =>
    Effect.map(
      call.elicit("name", { message: "Who?", fields: { name: Schema.String } }),
      (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
    )
)

/** The params of a modern request of a client that knows tasks. */
export const knowing = (params: Json = {}, capabilities: Json = {}): Json =>
  modern(params, {
    "io.modelcontextprotocol/clientCapabilities": {
      ...capabilities,
      extensions: { "io.modelcontextprotocol/tasks": {} }
    }
  })

/** A process: a server whose tasks end when it is stopped. Those of one journal are nodes. */
export const node = Effect.fnUntraced(function*<F extends McpServer.Feature<unknown>>(
  features: ReadonlyArray<F>,
  options: { readonly journal?: Journal; readonly tasks?: McpTasks.McpTasksOptions } = {}
) {
  const scope = yield* Effect.acquireRelease(
    Scope.make(),
    (scope, exit: Exit.Exit<unknown, unknown>) => Scope.close(scope, exit)
  )
  const journal = options.journal ?? (yield* MemoryNodes.makeJournal())
  const context = yield* Layer.buildWithScope(
    Layer.provide(McpTasks.layer(options.tasks), Layer.succeed(JournalService)(journal)),
    scope
  )
  const server = yield* Effect.provideContext(
    McpServer.make({ name: "tasks", version: "1", features }),
    // The tools of tests require no other service.
    context as Context.Context<McpServer.Requirements<F>>
  )
  return { server, scope, journal }
})

/** The state of a task, when it has one that a test waits for. */
export const stateWhere = (
  line: Line,
  taskId: unknown,
  is: (state: Json) => boolean,
  params: (params: Json) => Json = knowing
): Effect.Effect<Json> =>
  Effect.gen(function*() {
    for (let times = 0; times < 200; times++) {
      const state = yield* line.result("tasks/get", params({ taskId: String(taskId) }))
      if (is(state)) return state
      yield* Effect.yieldNow
      yield* TestClock.adjust(1)
    }
    return yield* Effect.die(new Error(`the task ${taskId} has no such state`))
  })

export const isStatus = (status: string) => (state: Json): boolean => state["status"] === status
