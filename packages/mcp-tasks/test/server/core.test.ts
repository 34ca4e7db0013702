import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpTool from "@parley/mcp/McpTool"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Effect, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { greet, type Json, type Line, open } from "../../../mcp/test/server/support/line.ts"
import { isStatus, must, node, plain, stateWhere, text, wait } from "./support.ts"

const session = Effect.fnUntraced(function*(
  features: Parameters<typeof node>[0],
  options: { readonly principal?: string; readonly capabilities?: Json; readonly revision?: "2025-06-18" } = {}
) {
  const { server } = yield* node(features)
  const revision = options.revision ?? "2025-11-25"
  const { principal } = options
  const line = yield* open(server, { revision, caller: principal === undefined ? {} : { principal } })
  const greeting = yield* greet(line, revision, options.capabilities ?? {})
  return { line, greeting }
})

const same = (params: Json): Json => params

const taskOf = (result: Json): Json => result["task"] as Json

const stateIn = (line: Line, taskId: unknown, is: (state: Json) => boolean) => stateWhere(line, taskId, is, same)

/** The next message of the server with a method. */
const heard = (line: Line, method: string): Effect.Effect<Json> =>
  Effect.gen(function*() {
    const known = line.aside.findIndex((message) => message.method === method)
    if (known >= 0) return line.aside.splice(known, 1)[0] as unknown as Json
    for (;;) {
      const message = yield* line.next
      if (message.method === method) return message as unknown as Json
    }
  })

describe("a task of 2025-11-25", () => {
  it.effect("is made where its client asks for one, and its result is asked for later", () =>
    Effect.gen(function*() {
      const { greeting, line } = yield* session([wait, plain])
      assert.deepInclude(greeting["capabilities"], { tasks: { cancel: {}, requests: { tools: { call: {} } } } })
      assert.notProperty(greeting["capabilities"], "extensions")
      const { tools } = yield* line.result("tools/list")
      assert.deepStrictEqual(
        (tools as ReadonlyArray<Json>).map(({ execution }) => execution),
        [{ taskSupport: "optional" }, undefined]
      )
      const call = { name: "wait", arguments: { seconds: 0 } }
      assert.deepInclude(yield* line.result("tools/call", call), { content: text("waited as a request") })
      const created = taskOf(yield* line.result("tools/call", { ...call, task: { ttl: 60_000 } }))
      assert.deepInclude(created, { status: "working", ttl: 60_000, pollInterval: 1_000 })
      const { taskId = "" } = created
      const result = yield* line.result("tasks/result", { taskId })
      assert.deepInclude(result, { content: text("waited as a task") })
      assert.deepInclude(result["_meta"], { "io.modelcontextprotocol/related-task": { taskId } })
      const ended = yield* line.result("tasks/get", { taskId })
      assert.deepInclude(ended, { taskId, status: "completed", ttl: 60_000 })
      for (const key of ["result", "resultType", "ttlMs", "_meta"]) assert.notProperty(ended, key)
    }))

  it.effect("is refused where its tool has none, and asked for where its tool is nothing else", () =>
    Effect.gen(function*() {
      const { line } = yield* session([wait, must, plain])
      assert.strictEqual((yield* line.refusal("tools/call", { name: "plain", task: {} })).code, -32601)
      assert.strictEqual((yield* line.refusal("tools/call", { name: "must" })).code, -32601)
      const wrong = yield* line.refusal("tools/call", { name: "wait", task: { ttl: "1" } })
      assert.deepInclude(wrong, { code: -32602, message: "Invalid params: task.ttl: Expected number" })
      const bad = { name: "wait", arguments: { seconds: "many" }, task: {} }
      assert.strictEqual((yield* line.refusal("tools/call", bad)).code, -32602)
      const old = yield* session([must, wait], { revision: "2025-06-18" })
      assert.strictEqual((yield* old.line.refusal("tools/call", { name: "must" })).code, -32601)
      const waited = yield* old.line.result("tools/call", { name: "wait", arguments: { seconds: 0 }, task: {} })
      assert.deepInclude(waited, { content: text("waited as a request") })
      const bare = yield* session([plain])
      assert.deepInclude(yield* bare.line.result("tools/call", { name: "plain", task: {} }), { content: text("now") })
    }))

  it.effect("fails where its tool says that it failed, and gives what the tool said", () =>
    Effect.gen(function*() {
      const refuse = McpTool.make("refuse", { extensions: [McpTasks.optional()] }, () =>
        Effect.fail(ErrorResponse.make(-31_999, "not today", { why: 1 })))
      const { line } = yield* session([must, refuse])
      const { taskId = "" } = taskOf(yield* line.result("tools/call", { name: "must", task: {} }))
      assert.deepInclude(yield* line.result("tasks/result", { taskId }), { content: text("it broke"), isError: true })
      assert.deepInclude(yield* line.result("tasks/get", { taskId }), { status: "failed", statusMessage: "it broke" })
      const refused = taskOf(yield* line.result("tools/call", { name: "refuse", task: {} }))["taskId"] ?? ""
      assert.deepStrictEqual(yield* line.refusal("tasks/result", { taskId: refused }), {
        code: -31_999,
        message: "not today",
        data: { why: 1 }
      })
      assert.deepInclude(yield* line.result("tasks/get", { taskId: refused }), { status: "failed" })
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("is cancelled before the answer, once, and its result is an error", () =>
    Effect.gen(function*() {
      const { line } = yield* session([wait])
      const call = { name: "wait", arguments: { seconds: 60 }, task: {} }
      const { taskId = "" } = taskOf(yield* line.result("tools/call", call))
      yield* line.write({ jsonrpc: "2.0", id: "waits", method: "tasks/result", params: { taskId } })
      assert.deepInclude(yield* line.result("tasks/get", { taskId }), { status: "working" })
      assert.deepInclude(yield* line.result("tasks/cancel", { taskId }), { taskId, status: "cancelled" })
      const waited = line.aside.find(({ id }) => id === "waits") ?? (yield* line.next)
      assert.deepNestedInclude(waited, { id: "waits", "error.code": -32603 })
      assert.strictEqual((yield* line.refusal("tasks/cancel", { taskId })).code, -32602)
      assert.deepInclude(yield* line.result("tasks/get", { taskId }), { status: "cancelled" })
    }))

  it.effect("asks by requests of the server that name it, and says that it waits", () =>
    Effect.gen(function*() {
      const asks = McpTool.make("asks", { extensions: [McpTasks.optional()] }, (_, call) =>
        Effect.map(
          call.elicit("name", { message: "Who?", fields: { name: Schema.String } }),
          (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
        ))
      const { line } = yield* session([asks], { capabilities: { elicitation: {} } })
      const { taskId = "" } = taskOf(yield* line.result("tools/call", { name: "asks", task: {} }))
      yield* stateIn(line, taskId, isStatus("input_required"))
      const asked = yield* heard(line, "elicitation/create")
      assert.deepNestedInclude(asked, { "params.message": "Who?" })
      assert.deepInclude((asked["params"] as Json)["_meta"], { "io.modelcontextprotocol/related-task": { taskId } })
      assert.deepInclude(yield* line.result("tasks/get", { taskId }), { status: "input_required" })
      yield* line.write({
        jsonrpc: "2.0",
        id: asked["id"] ?? "",
        result: { action: "accept", content: { name: "Ann" } }
      })
      assert.deepInclude(yield* line.result("tasks/result", { taskId }), { content: text("Ann") })
      // Each question is sent once.
      assert.isFalse(line.aside.some(({ method }) => method === "elicitation/create"))
    }))

  it.effect("tells its client of its states, and how far it is, where the client gave a token", () =>
    Effect.gen(function*() {
      const { line } = yield* session([wait])
      const call = { name: "wait", arguments: { seconds: 5 }, task: {}, _meta: { progressToken: "p" } }
      const { taskId = "" } = taskOf(yield* line.result("tools/call", call))
      yield* stateIn(line, taskId, ({ statusMessage }) => statusMessage === "half of it")
      yield* TestClock.adjust("5 seconds")
      for (;;) {
        const { params } = yield* heard(line, "notifications/tasks/status")
        assert.strictEqual((params as Json)["taskId"], taskId)
        assert.notProperty(params, "_meta")
        if (isStatus("completed")(params as Json)) break
      }
    }))

  it.effect("is there for a client of the extension, too, in its words", () =>
    Effect.gen(function*() {
      const { server } = yield* node([wait])
      const line = yield* open(server, { revision: "2025-11-25" })
      yield* greet(line, "2025-11-25")
      const call = { name: "wait", arguments: { seconds: 0 }, task: { ttl: 5_000 } }
      const { taskId = "" } = taskOf(yield* line.result("tools/call", call))
      const modern = yield* open(server, { revision: "2026-07-28" })
      const ended = yield* stateWhere(modern, taskId, isStatus("completed"))
      assert.deepNestedInclude(ended, { ttlMs: 5_000, "result.content": text("waited as a task") })
    }))

  it.effect("is listed for the principal who made it, page by page, and for nobody else", () =>
    Effect.gen(function*() {
      const { server } = yield* node([wait])
      const of = Effect.fnUntraced(function*(principal?: string) {
        const line = yield* open(server, {
          revision: "2025-11-25",
          caller: principal === undefined ? {} : { principal }
        })
        return { line, greeting: yield* greet(line, "2025-11-25") }
      })
      const [ann, bob, nobody] = [yield* of("ann"), yield* of("bob"), yield* of()]
      assert.deepNestedInclude(ann.greeting, { "capabilities.tasks.list": {} })
      assert.notNestedProperty(nobody.greeting, "capabilities.tasks.list")
      const call = { name: "wait", arguments: { seconds: 60 }, task: {} }
      const made: Array<unknown> = []
      for (let n = 0; n < 3; n++) made.push(taskOf(yield* ann.line.result("tools/call", call))["taskId"])
      const listed = yield* ann.line.result("tasks/list")
      assert.deepStrictEqual((listed["tasks"] as ReadonlyArray<Json>).map(({ taskId }) => taskId), made)
      assert.deepStrictEqual((yield* bob.line.result("tasks/list"))["tasks"], [])
      assert.strictEqual((yield* ann.line.refusal("tasks/list", { cursor: "x" })).code, -32602)
      assert.strictEqual((yield* nobody.line.refusal("tasks/list")).code, -32601)
      for (const other of [bob, nobody]) {
        for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
          assert.strictEqual((yield* other.line.refusal(method, { taskId: String(made[0]) })).code, -32602)
        }
      }
      assert.deepInclude(yield* ann.line.result("tasks/get", { taskId: String(made[0]) }), { status: "working" })
    }))
})
