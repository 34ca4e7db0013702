import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpToolkit from "@parley/mcp/McpToolkit"
import * as ErrorResponse from "@parley/peer/ErrorResponse"
import { Context, Deferred, Effect, Exit, Layer, Logger, Schema, Scope } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { greet, modern, open } from "../../../mcp/test/server/support/line.ts"
import { isStatus, knowing, must, node, plain, stateWhere, text, wait } from "./support.ts"

const line = (features: Parameters<typeof node>[0], tasks?: NonNullable<Parameters<typeof node>[1]>["tasks"]) =>
  Effect.gen(function*() {
    const { server } = yield* node(features, tasks === undefined ? {} : { tasks })
    return yield* open(server, { revision: "2026-07-28" })
  })

describe("a task of the extension", () => {
  it.effect("is made by the server for who knows tasks, is there at once, and gives its result", () =>
    Effect.gen(function*() {
      const ours = yield* line([wait, plain])
      const discovered = yield* ours.result("server/discover", modern())
      assert.deepNestedInclude(discovered["capabilities"], { extensions: { "io.modelcontextprotocol/tasks": {} } })
      assert.notProperty(discovered["capabilities"], "tasks")
      const created = yield* ours.result("tools/call", knowing({ name: "wait", arguments: { seconds: 0 } }))
      assert.deepInclude(created, { resultType: "task", status: "working", ttlMs: 3_600_000, pollIntervalMs: 1_000 })
      for (const key of ["task", "result", "ttl", "requestState"]) assert.notProperty(created, key)
      const { taskId = "" } = created
      const state = yield* ours.result("tasks/get", knowing({ taskId }))
      assert.deepInclude(state, { resultType: "complete", taskId })
      const ended = yield* stateWhere(ours, taskId, isStatus("completed"))
      assert.deepNestedInclude(ended, { "result.content": text("waited as a task") })
      assert.deepInclude(
        yield* ours.result("tools/call", knowing({ name: "plain", task: { ttl: 1 } })),
        { resultType: "complete", content: text("now") }
      )
    }))

  it.effect("says how far it is", () =>
    Effect.gen(function*() {
      const ours = yield* line([wait])
      const { taskId } = yield* ours.result("tools/call", knowing({ name: "wait", arguments: { seconds: 9 } }))
      yield* stateWhere(ours, taskId, ({ statusMessage }) => statusMessage === "half of it")
    }))

  it.effect("is none for who does not know tasks: such a client waits, or is told what it lacks", () =>
    Effect.gen(function*() {
      const ours = yield* line([wait, must])
      const waited = yield* ours.result("tools/call", modern({ name: "wait", arguments: { seconds: 0 } }))
      assert.deepInclude(waited, { resultType: "complete", content: text("waited as a request") })
      const needs = { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } }
      assert.deepInclude(yield* ours.refusal("tools/call", modern({ name: "must" })), { code: -32021, data: needs })
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const refused = yield* ours.refusal(method, modern({ taskId: "x", inputResponses: {} }))
        assert.deepInclude(refused, { code: -32021, data: needs })
      }
    }))

  it.effect("is unknown to all who have no right id, and the methods of the other generation are, too", () =>
    Effect.gen(function*() {
      const ours = yield* line([wait])
      const params = knowing({ taskId: "nobody", inputResponses: {} })
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        assert.strictEqual((yield* ours.refusal(method, params)).code, -32602)
      }
      for (const method of ["tasks/result", "tasks/list"]) {
        assert.strictEqual((yield* ours.refusal(method, params)).code, -32601)
      }
      const bare = yield* line([plain])
      assert.strictEqual((yield* bare.refusal("tasks/get", params)).code, -32601)
    }))

  it.effect("completes with what its tool says that went wrong, and fails with an error of the protocol", () =>
    Effect.gen(function*() {
      const refuse = McpTool.make(
        "refuse",
        { extensions: [McpTasks.optional()] },
        () => Effect.fail(ErrorResponse.make(-31_999, "not today", { why: 1 }))
      )
      const die = McpTool.make("die", { extensions: [McpTasks.optional()] }, () => Effect.die(new Error("a secret")))
      const ours = yield* line([must, refuse, die])
      const ended = Effect.fnUntraced(function*(name: string) {
        const { taskId } = yield* ours.result("tools/call", knowing({ name }))
        return yield* stateWhere(ours, taskId, ({ status }) => status !== "working")
      })
      assert.deepInclude(yield* ended("must"), {
        status: "completed",
        result: { resultType: "complete", content: text("it broke"), isError: true }
      })
      const refused = yield* ended("refuse")
      assert.deepInclude(refused, {
        status: "failed",
        error: { code: -31_999, message: "not today", data: { why: 1 } },
        statusMessage: "not today"
      })
      assert.notProperty(refused, "result")
      const died = yield* ended("die")
      assert.deepInclude(died, { status: "failed", error: { code: -32603, message: "Internal error" } })
      assert.notInclude(JSON.stringify(died), "secret")
    }).pipe(Effect.provide(Logger.layer([]))))

  it.effect("is not made for arguments that do not fit", () =>
    Effect.gen(function*() {
      const ours = yield* line([wait])
      const refused = yield* ours.result("tools/call", knowing({ name: "wait", arguments: { seconds: "many" } }))
      assert.deepInclude(refused, { resultType: "complete", isError: true })
    }))

  it.effect("is cancelled at once, and its finalizers run; a cancel that is late changes nothing", () =>
    Effect.gen(function*() {
      const finalized = yield* Deferred.make<void>()
      const hang = McpTool.make(
        "hang",
        { extensions: [McpTasks.optional()] },
        () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(finalized, undefined))
      )
      const ours = yield* line([hang, wait])
      const { taskId = "" } = yield* ours.result("tools/call", knowing({ name: "hang" }))
      const ack = yield* ours.result("tasks/cancel", knowing({ taskId }))
      assert.deepStrictEqual(Object.keys(ack).toSorted(), ["_meta", "resultType"])
      assert.strictEqual((yield* ours.result("tasks/get", knowing({ taskId })))["status"], "cancelled")
      yield* Deferred.await(finalized)
      const done = yield* ours.result("tools/call", knowing({ name: "wait", arguments: { seconds: 0 } }))
      yield* stateWhere(ours, done["taskId"], isStatus("completed"))
      assert.deepStrictEqual(yield* ours.result("tasks/cancel", knowing({ taskId: done["taskId"] ?? "" })), ack)
      assert.strictEqual(
        (yield* ours.result("tasks/get", knowing({ taskId: done["taskId"] ?? "" })))["status"],
        "completed"
      )
    }))

  it.effect("asks in its state, takes the answers one by one, and ignores those of no question", () =>
    Effect.gen(function*() {
      const asks = McpTool.make("asks", { extensions: [McpTasks.optional()] }, (_, call) =>
        Effect.gen(function*() {
          const ask = (key: string) => call.elicit(key, { message: key, fields: { name: Schema.String } })
          const [a, b] = yield* Effect.all([ask("a"), ask("b")], { concurrency: 2 })
          return [a, b].map((one) => one._tag === "Accepted" ? one.content.name : one._tag).join(" ")
        }))
      const ours = yield* line([asks])
      const { taskId = "" } = yield* ours.result("tools/call", knowing({ name: "asks" }, { elicitation: {} }))
      const asked = yield* stateWhere(ours, taskId, isStatus("input_required"))
      const both = yield* stateWhere(ours, taskId, (state) => Object.keys(state["inputRequests"] ?? {}).length === 2)
      assert.deepNestedInclude(asked, { resultType: "complete" })
      assert.deepNestedInclude(both, { "inputRequests.a.method": "elicitation/create" })
      const answered = (key: string, content: Record<string, string>) =>
        ours.result("tasks/update", knowing({ taskId, inputResponses: { [key]: { action: "accept", content } } }))
      yield* answered("c", { name: "nobody" })
      const ack = yield* answered("a", { name: "Ann" })
      assert.deepStrictEqual(Object.keys(ack).toSorted(), ["_meta", "resultType"])
      const left = yield* ours.result("tasks/get", knowing({ taskId }))
      assert.deepStrictEqual(Object.keys(left["inputRequests"] ?? {}), ["b"])
      yield* answered("b", { name: "Bob" })
      assert.deepNestedInclude(yield* stateWhere(ours, taskId, isStatus("completed")), {
        "result.content": text("Ann Bob")
      })
    }))

  it.effect("asks again under another key where an answer does not fit", () =>
    Effect.gen(function*() {
      const asks = McpTool.make("asks", { extensions: [McpTasks.optional()] }, (_, call) => {
        const ask = call.elicit("name", { message: "Who?", fields: { name: Schema.String } })
        return Effect.map(Effect.catchTag(ask, "InvalidAnswer", () => ask), ({ _tag }) => _tag)
      })
      const ours = yield* line([asks])
      const { taskId = "" } = yield* ours.result("tools/call", knowing({ name: "asks" }, { elicitation: {} }))
      yield* stateWhere(ours, taskId, isStatus("input_required"))
      const wrong = { name: { action: "accept", content: { name: 1 } } }
      yield* ours.result("tasks/update", knowing({ taskId, inputResponses: wrong }))
      const again = yield* stateWhere(ours, taskId, isStatus("input_required"))
      assert.deepStrictEqual(Object.keys(again["inputRequests"] ?? {}), ["name-2"])
      yield* ours.result("tasks/update", knowing({ taskId, inputResponses: { "name-2": { action: "decline" } } }))
      assert.deepNestedInclude(yield* stateWhere(ours, taskId, isStatus("completed")), {
        "result.content": text("Declined")
      })
    }))

  it.effect("begins where its handler detaches, with the answers that came before", () =>
    Effect.gen(function*() {
      const runs: Array<string> = []
      const asks = McpTool.make("asks", { extensions: [McpTasks.required({ startAfterInput: true })] }, (_, call) =>
        Effect.gen(function*() {
          runs.push(call.task === undefined ? "request" : "task")
          const who = yield* call.elicit("user_name", { message: "Who?", fields: { name: Schema.String } })
          yield* call.detach
          yield* Effect.sleep(1_000)
          return who._tag === "Accepted" ? who.content.name : who._tag
        }))
      const ours = yield* line([asks])
      const params = (more = {}) =>
        knowing({ name: "asks", ...more }, { elicitation: {} })
      const asked = yield* ours.result("tools/call", params())
      assert.strictEqual(asked["resultType"], "input_required")
      assert.notProperty(asked, "taskId")
      const created = yield* ours.result(
        "tools/call",
        params({
          requestState: asked["requestState"],
          inputResponses: { user_name: { action: "accept", content: { name: "Ann" } } }
        })
      )
      assert.strictEqual(created["resultType"], "task")
      for (const key of ["requestState", "inputRequests"]) {
        assert.notProperty(created, key)
      }
      const { taskId } = created
      yield* stateWhere(ours, taskId, isStatus("working"))
      yield* TestClock.adjust("1 second")
      assert.deepNestedInclude(yield* stateWhere(ours, taskId, isStatus("completed")), {
        "result.content": text("Ann")
      })
      assert.deepStrictEqual(runs, ["request", "request", "task"])
    }))

  it.effect("is what a tool of a toolkit says by its annotation", () =>
    Effect.gen(function*() {
      const tool = Tool.make("slow", { success: Schema.String }).annotate(McpToolkit.Extensions, [McpTasks.required()])
      const toolkit = Toolkit.make(tool)
      const features = McpToolkit.tools(toolkit)
      const ours = yield* Effect.provide(line(features), toolkit.toLayer({ slow: () => Effect.succeed("done") }))
      const { taskId } = yield* ours.result("tools/call", knowing({ name: "slow" }))
      yield* stateWhere(ours, taskId, isStatus("completed"))
      const made = McpServer.make({ name: "s", version: "1", features })
      const exit = yield* Effect.exit(Effect.provide(made, toolkit.toLayer({ slow: () => Effect.succeed("done") })))
      assert.match(String(exit), /McpTasks/)
    }))

  it.effect("ends with the layer of its server, before the services that its tool uses", () =>
    Effect.gen(function*() {
      const said: Array<string> = []
      class Service extends Context.Service<Service, { readonly use: Effect.Effect<void> }>()("test/Service") {}
      const uses = McpTool.make("uses", { extensions: [McpTasks.optional()] }, () =>
        Effect.flatMap(Service, ({ use }) =>
          Effect.ensuring(Effect.never, use)))
      const service = Layer.effect(
        Service,
        Effect.acquireRelease(
          Effect.succeed({
            use: Effect.sync(() =>
              void said.push("used")
            )
          }),
          () => Effect.sync(() => void said.push("closed"))
        )
      )
      const layer = McpServer.layer({ name: "s", version: "1", features: [uses] }).pipe(
        Layer.provide(service),
        Layer.provide(McpTasks.layerMemory())
      )
      const scope = yield* Scope.make()
      const server = Context.get(yield* Layer.buildWithScope(layer, scope), McpServer.McpServer)
      const ours = yield* open(server, { revision: "2026-07-28" })
      const { taskId } = yield* ours.result("tools/call", knowing({ name: "uses" }))
      yield* stateWhere(ours, taskId, isStatus("working"))
      yield* Effect.yieldNow
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(said, ["used", "closed"])
    }))

  it.effect("has no code that this revision forbids, whatever the revision of the client that began it", () =>
    Effect.gen(function*() {
      const fails = McpTool.make(
        "fails",
        { extensions: [McpTasks.optional()] },
        () => Effect.fail(ErrorResponse.make(-32_002, "late"))
      )
      const { server } = yield* node([fails])
      const caller = { principal: "ada" }
      const begun = yield* open(server, { revision: "2025-11-25", caller })
      yield* greet(begun, "2025-11-25", {})
      const { task } = yield* begun.result("tools/call", { name: "fails", arguments: {}, task: { ttl: 60_000 } })
      const ours = yield* open(server, { revision: "2026-07-28", caller })
      const state = yield* stateWhere(ours, Object(task).taskId, isStatus("failed"))
      assert.deepStrictEqual(state["error"], { code: -31_102, message: "late" })
    }))
})
