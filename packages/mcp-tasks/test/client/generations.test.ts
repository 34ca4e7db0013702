import { assert, describe, it } from "@effect/vitest"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import { Deferred, Effect, Fiber, type Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Scripted from "../../../mcp/test/client/scripted.ts"
import * as Published from "../../../mcp/test/wire/support/published.ts"
import { connect, form, pass, ScriptedTask, tasksOf, text } from "./scriptedTask.ts"

describe("tasks of one era alone", () => {
  it.effect(`a legacy server is asked as the revision publishes it, checked by ${Published.source}`, () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("legacy")
      const { client, written } = yield* connect(task, { "tasks/list": Scripted.always({ tasks: [] }) })
      const call = yield* Effect.forkChild(
        client.callTool("long", {}, { extensions: [TaskClient.call({ task: { ttl: "1 minute" } })] })
      )
      yield* Scripted.settle
      yield* pass("1 second")
      yield* Fiber.interrupt(call)
      yield* Effect.flip(tasksOf(client).task("task-1").await)
      yield* tasksOf(client).list()
      task.set({ status: "completed", result: text("done") })
      yield* tasksOf(client).task("task-1").await
      const names = [
        ["tools/call", "CallToolRequest"],
        ["tasks/get", "GetTaskRequest"],
        ["tasks/cancel", "CancelTaskRequest"],
        ["tasks/result", "GetTaskPayloadRequest"],
        ["tasks/list", "ListTasksRequest"]
      ] as const
      for (const [method, name] of names) {
        const messages = Scripted.of(written, method)
        assert.isNotEmpty(messages, method)
        for (const message of messages) {
          assert.isUndefined(Published.fault("2025-11-25", { published: name, sdk: name }, message), name)
        }
      }
    }))

  it.effect("a notification of the legacy era has the next state at once", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("legacy", { status: "working", pollIntervalMs: 60_000 })
      const { client, server } = yield* connect(task)
      const call = yield* Effect.forkChild(client.callTool("long"))
      yield* Scripted.settle
      yield* server.notify("notifications/tasks/status", { ...task.said, taskId: "another", status: "cancelled" })
      task.set({ status: "completed", result: text("done") })
      yield* Scripted.settle
      assert.strictEqual(call.pollUnsafe(), undefined)
      yield* server.notify("notifications/tasks/status", task.said)
      assert.deepInclude(yield* Fiber.join(call), text("done"))
      assert.strictEqual(task.looks, 0)
    }))

  it.effect("the progress of a call goes on behind its answer, and counts in place of status messages", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("legacy")
      const seen: Array<unknown> = []
      const { client, server, written } = yield* connect(task)
      const call = yield* Effect.forkChild(
        client.callTool("long", {}, { onProgress: (progress) => seen.push(progress) })
      )
      yield* Scripted.settle
      const [asked] = Scripted.of(written, "tools/call")
      const { progressToken } = Object(asked?.params?.["_meta"])
      yield* server.notify("notifications/progress", { progressToken: "another", progress: 7 })
      yield* server.notify("notifications/progress", { progressToken, progress: 1, total: 4 })
      task.set({ status: "working", statusMessage: "writing" })
      yield* pass("1 second")
      task.set({ status: "completed", result: text("done") })
      yield* pass("1 second")
      yield* Fiber.join(call)
      yield* server.notify("notifications/progress", { progressToken, progress: 2 })
      yield* Scripted.settle
      assert.deepStrictEqual(seen, [{ progress: 1, total: 4 }])
    }))

  it.effect("a server of the modern era is listened to when the task takes longer, and asked seldom then", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("modern")
      const { client, server, written } = yield* connect(task, { "subscriptions/listen": () => Effect.never })
      const call = yield* Effect.forkChild(client.callTool("long"))
      yield* Scripted.settle
      assert.notInclude(Scripted.methods(written), "subscriptions/listen")
      yield* pass("1 second")
      const [listen] = Scripted.of(written, "subscriptions/listen")
      assert.deepInclude(listen?.params, { notifications: { taskIds: ["task-1"] } })
      const _meta = { "io.modelcontextprotocol/subscriptionId": String(listen?.id) }
      yield* server.notify("notifications/subscriptions/acknowledged", {
        _meta,
        notifications: { taskIds: ["task-1"] }
      })
      yield* Scripted.settle
      const { looks } = task
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(task.looks, looks)
      task.set({ status: "completed", result: text("done") })
      yield* server.notify("notifications/tasks", { ...task.said, _meta })
      assert.deepInclude(yield* Fiber.join(call), text("done"))
      yield* Scripted.settle
      assert.include(Scripted.methods(written), "notifications/cancelled")
    }))

  it.effect("a task is looked at once more where the stream of its changes began during a look", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("modern")
      const held = yield* Deferred.make<void>()
      let looks = 0
      const { client, server, written } = yield* connect(task, {
        "subscriptions/listen": () => Effect.never,
        "tasks/get": () =>
          Effect.suspend(() => {
            const said = { ...task.said, resultType: "complete" }
            return ++looks === 2 ? Effect.as(Deferred.await(held), said) : Effect.succeed(said)
          })
      })
      const call = yield* Effect.forkChild(client.callTool("long"))
      yield* Scripted.settle
      yield* pass("1 second")
      yield* pass("1 second")
      assert.strictEqual(looks, 2)
      // It ends behind what the look has seen, and before the stream begins.
      task.set({ status: "completed", result: text("done") })
      const [listen] = Scripted.of(written, "subscriptions/listen")
      yield* server.notify("notifications/subscriptions/acknowledged", {
        _meta: { "io.modelcontextprotocol/subscriptionId": String(listen?.id) },
        notifications: { taskIds: ["task-1"] }
      })
      yield* Scripted.settle
      yield* Deferred.succeed(held, undefined)
      yield* Scripted.settle
      assert.deepInclude(yield* Fiber.join(call), text("done"))
    }))

  it.effect("few tasks are listened to at once, and the others are asked for", () =>
    Effect.gen(function*() {
      const { client, written } = yield* connect(new ScriptedTask("modern"), {
        "subscriptions/listen": () => Effect.never
      })
      const calls = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () => Effect.forkChild(client.callTool("long"))
      )
      yield* Scripted.settle
      yield* pass("1 second")
      assert.lengthOf(Scripted.of(written, "subscriptions/listen"), 8)
      yield* Fiber.interruptAll(calls)
    }))

  it.effect("a call may be asked before it becomes a task", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("modern", { status: "completed", result: text("done") })
      const { client, written } = yield* connect(task, {
        "tools/call": ({ params }) =>
          Effect.succeed(
            Object.hasOwn(Object(params), "inputResponses") ? task.created : {
              resultType: "input_required",
              inputRequests: { q: { method: "elicitation/create", params: form } }
            }
          )
      }, { handlers: { elicit: () => Effect.succeed({ action: "decline" as const }) } })
      assert.deepInclude(yield* client.callTool("long"), text("done"))
      assert.deepStrictEqual(Scripted.of(written, "tools/call")[1]?.params?.["inputResponses"], {
        q: { action: "decline" }
      })
    }))

  it.effect("a server of the legacy era that breaks off is asked again for what it asks", () =>
    Effect.gen(function*() {
      let broken = 0
      const task = new ScriptedTask("legacy", { status: "input_required" })
      const { client } = yield* connect(task, {
        "tasks/result": (call) =>
          broken++ < 2 ? Scripted.refusing(-32_603, "no")() : task.handlers["tasks/result"]?.(call) ?? Effect.void
      })
      const call = yield* Effect.forkChild(client.callTool("long"))
      yield* Scripted.settle
      yield* pass("1 second")
      yield* pass("1 second")
      assert.strictEqual(broken, 3)
      task.set({ status: "completed", result: text("done") })
      yield* Scripted.settle
      assert.deepInclude(yield* Fiber.join(call), text("done"))
    }))

  it.effect("many calls at once list the tools of a legacy server once", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("legacy", { status: "completed", result: text("done") })
      const { client, written } = yield* connect(task)
      yield* Effect.forEach(Array.from({ length: 20 }), () => client.callTool("long"), { concurrency: "unbounded" })
      assert.lengthOf(Scripted.of(written, "tools/list"), 1)
    }))

  it.effect("a question that the server takes back is answered no more", () =>
    Effect.gen(function*() {
      const stopped = yield* Deferred.make<void>()
      const task = new ScriptedTask("modern", {
        status: "input_required",
        inputRequests: { q1: { method: "elicitation/create", params: form } }
      })
      const { client } = yield* connect(task, {}, {
        handlers: { elicit: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined)) }
      })
      const call = yield* Effect.forkChild(client.callTool("long"))
      yield* Scripted.settle
      yield* pass("1 second")
      task.set({ status: "working" })
      yield* pass("1 second")
      yield* Deferred.await(stopped)
      task.set({ status: "completed", result: text("done") })
      yield* pass("1 second")
      yield* Fiber.join(call)
      assert.deepStrictEqual(task.answers, {})
    }))

  it.effect("without the option a server of the modern era hears of no tasks", () =>
    Effect.gen(function*() {
      const { client, written } = yield* connect(new ScriptedTask("modern"), {}, { extensions: [] })
      const error = yield* Effect.flip(client.callTool("long"))
      assert.strictEqual(error._tag, "InvalidResult")
      const meta = Scripted.of(written, "tools/call")[0]?.params?.["_meta"] as Schema.JsonObject
      assert.deepStrictEqual(meta["io.modelcontextprotocol/clientCapabilities"], {})
    }))

  it.effect("a tool of the legacy era is a task where it must be, or where the caller wants it and it may", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("legacy", { status: "completed", result: text("done") })
      const { client, written } = yield* connect(task, {
        "tools/list": Scripted.always({
          tools: ["required", "optional", "forbidden"].map((taskSupport) => ({
            name: taskSupport,
            inputSchema: { type: "object" },
            execution: { taskSupport }
          }))
        }),
        "tools/call": ({ params }) =>
          Effect.succeed(Object.hasOwn(Object(params), "task") ? task.created : text("at once"))
      })
      const asked = (name: string, wants: boolean) =>
        Effect.map(
          client.callTool(name, {}, wants ? { extensions: [TaskClient.call({ task: { ttl: "1 minute" } })] } : {}),
          () => {
            const { params } = Scripted.of(written, "tools/call").at(-1) ?? {}
            return params?.["task"]
          }
        )
      assert.deepStrictEqual(yield* asked("required", false), {})
      assert.deepStrictEqual(yield* asked("required", true), { ttl: 60_000 })
      assert.strictEqual(yield* asked("optional", false), undefined)
      assert.deepStrictEqual(yield* asked("optional", true), { ttl: 60_000 })
      assert.strictEqual(yield* asked("forbidden", true), undefined)
      assert.strictEqual(yield* asked("unheard", true), undefined)
      // The tools are listed once, and not for each name that is not among them.
      yield* asked("unheard", true)
      assert.lengthOf(Scripted.of(written, "tools/list"), 1)
    }))
})
