/** Tasks: calls that are answered with a handle, in the core of one revision and by an extension in the modern era. */
import * as Envelope from "@parley/mcp/wire/Envelope"
import { ErrorCode, JsonObject } from "@parley/protocol/shared"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { NotApplicable, Unverified } from "../../../../Suite.ts"
import * as List from "../../../protocol/mcp/List.ts"
import * as operations from "../../../protocol/mcp/operations.ts"
import * as Wire from "../../../protocol/mcp/Wire.ts"
import * as Rule from "../Rule.ts"
import { type Dialogue, fitting } from "../Subject.ts"

const page = (anchor: string) => Rule.section("2025-11-25", `basic/utilities/tasks#${anchor}`)

const extension = "io.modelcontextprotocol/tasks"

const needsTasks = ({ accord: { codec }, has }: Dialogue): Effect.Effect<void, NotApplicable> => {
  const { features: { tasks }, revision } = codec
  if (tasks === "none") return new NotApplicable({ reason: `${revision} has no tasks` })
  const path = tasks === "core" ? ["tasks", "requests", "tools", "call"] : ["extensions", extension]
  return Rule.needs({ has }, ...path)
}

/** The options by which requests declare a client that knows tasks. */
const optionsOf = ({ accord: { codec: { revision } }, era }: Dialogue): Wire.RequestOptions => {
  const clientCapabilities = { extensions: { [extension]: {} } }
  const { clientInfo } = Wire
  return era === "legacy"
    ? {}
    : { envelope: Envelope.make({ protocolVersion: revision, clientCapabilities, clientInfo }) }
}

const get = (dialogue: Dialogue, taskId: string) =>
  Effect.flatMap(dialogue.shared, ({ request }) => {
    const headers = dialogue.era === "modern" ? { "mcp-name": taskId } : {}
    return request("tasks/get", { taskId }, { ...optionsOf(dialogue), headers })
  })

const unknown = Rule.each({
  id: "mcp/tasks/unknown",
  title: "A task that does not exist is refused with -32602",
  level: "must",
  section: page("protocol-errors")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* needsTasks(dialogue)
    const reply = yield* get(dialogue, "parley-conform-no-task")
    const { outcome } = reply
    return outcome._tag === "Error" && outcome.code === ErrorCode.InvalidParams
      ? []
      : [Rule.breach("the error -32602", reply)]
  }))

const supportOf = (entry: Schema.JsonObject) => JsonObject.member(entry["execution"], "taskSupport") ?? "forbidden"

/** The tools that may be called, and that support tasks or do not. */
const toolsOf = (dialogue: Dialogue, isSupported: boolean) =>
  Effect.map(dialogue.listed(List.tools), ({ entries }) => {
    const chosen = entries.filter((entry) =>
      dialogue.era === "modern" || (supportOf(entry) !== "forbidden") === isSupported
    )
    return operations.toolsOf(chosen.map((entry) => JsonObject.omit(entry, "execution")))
      .filter(({ isReadOnly }) => isReadOnly || dialogue.run.write)
  })

/** Calls a tool, and asks for a task. In the modern era, the server decides whether it becomes one. */
const callAsTask = (dialogue: Dialogue, tool: operations.Tool) =>
  Effect.flatMap(dialogue.shared, ({ request }) => {
    const asTask: typeof request = (method, params, options) =>
      request(method, dialogue.era === "legacy" ? { ...params, task: { ttl: 60_000 } } : params, options)
    const args = fitting(tool)
    return args === undefined
      ? Effect.succeed(undefined)
      : operations.call({ request: asTask }, tool, args, optionsOf(dialogue))
  })

/** How many tools are called before one becomes a task. */
const mostTools = 4

/** The first call that has become a task. */
const started = Rule.once((dialogue) =>
  Effect.gen(function*() {
    yield* needsTasks(dialogue)
    for (const tool of (yield* toolsOf(dialogue, true)).slice(0, mostTools)) {
      const reply = yield* callAsTask(dialogue, tool)
      if (reply === undefined || reply.outcome._tag !== "Result") continue
      const { result } = reply.outcome
      if (dialogue.era === "legacy") return { reply, tool, task: JsonObject.member(result, "task") }
      if (JsonObject.member(result, "resultType") === "task") return { reply, tool, task: result }
    }
    return yield* new NotApplicable({ reason: "no tool that may be called was called as a task" })
  })
)

const idOf = (task: Schema.Json | undefined): string | undefined => {
  const id = JsonObject.member(task, "taskId")
  return typeof id === "string" && typeof JsonObject.member(task, "status") === "string" ? id : undefined
}

const created = Rule.each(
  {
    id: "mcp/tasks/created",
    title: "A call as a task is answered with a task, which has an id and a status",
    level: "must",
    section: page("result-retrieval")
  },
  (dialogue) =>
    Effect.map(started(dialogue), ({ reply, task }) => idOf(task) === undefined ? [Rule.breach("a task", reply)] : [])
)

/** How long a task is watched, at the least: a task may take any time. */
const mostWait = Duration.seconds(5)

const terminal: ReadonlySet<Schema.Json | undefined> = new Set(["completed", "failed", "cancelled"])

/** Asks for the task until it has ended, or is late. */
const ended = Rule.once((dialogue) =>
  Effect.gen(function*() {
    const { task, tool } = yield* started(dialogue)
    const id = idOf(task)
    if (id === undefined) return yield* new NotApplicable({ reason: "no task was made" })
    const plain = (yield* Effect.orElseSucceed(dialogue.calls, () => [])).find((call) =>
      call.tool.name === tool.name && call.reply.outcome._tag === "Result"
    )
    const end = (yield* Clock.currentTimeMillis) +
      Math.max(Duration.toMillis(mostWait), 10 * (plain?.reply.milliseconds ?? 0))
    while (true) {
      const reply = yield* get(dialogue, id)
      const status = reply.outcome._tag === "Result" ? JsonObject.member(reply.outcome.result, "status") : undefined
      const isOver = reply.outcome._tag !== "Result" || terminal.has(status)
      if (isOver || (yield* Clock.currentTimeMillis) > end) return { id, reply, status, plain }
      yield* Effect.sleep(dialogue.run.patience.silence)
    }
  })
)

const ends = Rule.each({
  id: "mcp/tasks/ends",
  title: "The status of a task ends when its call would have",
  level: "should",
  section: page("task-status-lifecycle")
}, (dialogue) =>
  Effect.gen(function*() {
    const { plain, reply, status } = yield* ended(dialogue)
    if (terminal.has(status)) return []
    if (reply.outcome._tag === "Result" && plain === undefined) {
      return yield* new Unverified({ reason: `the task is still ${status}, and may take long` })
    }
    return [Rule.breach("the status completed, failed or cancelled", reply)]
  }))

const retrieved = Rule.legacy({
  id: "mcp/tasks/result",
  title: "tasks/result gives what the call would have given, and names the task",
  level: "must",
  section: page("result-retrieval")
}, (dialogue) =>
  Effect.gen(function*() {
    const { id, status } = yield* ended(dialogue)
    if (status !== "completed") return yield* new NotApplicable({ reason: "no task was completed" })
    const reply = yield* (yield* dialogue.shared).request("tasks/result", { taskId: id })
    const { outcome } = reply
    if (outcome._tag !== "Result") return [Rule.breach("the result of the call", reply)]
    const decoded = dialogue.accord.codec.decode.callToolResult(outcome.result)
    const related = JsonObject.member(Envelope.metaOf(outcome.result), "io.modelcontextprotocol/related-task")
    const fault = Result.isFailure(decoded)
      ? decoded.failure.message
      : JsonObject.member(related, "taskId") === id
      ? undefined
      : `the related task ${JSON.stringify(related) ?? "none"}`
    return fault === undefined
      ? []
      : [Rule.finding("the result of the call, and its task in _meta", fault, reply.exchange)]
  }))

const forbidden = Rule.legacy({
  id: "mcp/tasks/forbidden",
  title: "A call as a task of a tool that supports none is refused with -32601",
  level: "should",
  section: page("tool-level-negotiation")
}, (dialogue) =>
  Effect.gen(function*() {
    yield* needsTasks(dialogue)
    const [tool] = yield* toolsOf(dialogue, false)
    const reply = tool === undefined ? undefined : yield* callAsTask(dialogue, tool)
    if (reply === undefined) return yield* new NotApplicable({ reason: "no tool that supports no tasks can be called" })
    return reply.outcome._tag === "Error" && reply.outcome.code === ErrorCode.MethodNotFound
      ? []
      : [Rule.breach("the error -32601", reply)]
  }))

export const rules: ReadonlyArray<Rule.McpRule> = [unknown, created, ends, retrieved, forbidden]
