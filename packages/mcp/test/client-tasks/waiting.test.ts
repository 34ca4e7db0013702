import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, type Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { ElicitResult } from "../../src/payload/Elicitation.ts"
import * as Scripted from "../client/scripted.ts"
import * as Published from "../wire/support/published.ts"
import { connect, eras, form, ScriptedTask, text } from "./scriptedTask.ts"

/** Lets time pass, and all that follows happen. */
const pass = (duration: "1 second" | "100 millis" | "1 minute") =>
  Effect.andThen(TestClock.adjust(duration), Scripted.settle)

for (const era of eras) {
  describe(`a call that becomes a task of the ${era} era`, () => {
    it.effect("gives its result when the task has ended", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const { client, written } = yield* connect(task)
        const call = yield* Effect.forkChild(client.callTool("long", { a: 1 }))
        yield* Scripted.settle
        yield* pass("1 second")
        assert.strictEqual(call.pollUnsafe(), undefined)
        task.set({ status: "completed", result: text("done") })
        yield* pass("1 second")
        assert.deepInclude(yield* Fiber.join(call), text("done"))
        const params = Scripted.of(written, "tools/call")[0]?.params
        if (era === "legacy") assert.deepInclude(params, { name: "long", arguments: { a: 1 }, task: {} })
        else assert.notProperty(params, "task")
        assert.notInclude(Scripted.methods(written), "tasks/cancel")
      }))

    it.effect("says how far it is, each status once, and which task it is", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era, { status: "working", statusMessage: "gathering" })
        const { client } = yield* connect(task)
        const messages: Array<unknown> = []
        const states: Array<unknown> = []
        const call = yield* Effect.forkChild(client.callTool("long", {}, {
          onProgress: ({ message, progress }) => messages.push([progress, message]),
          onTask: ({ status, taskId }) => states.push([taskId, status])
        }))
        yield* Scripted.settle
        yield* pass("1 second")
        yield* pass("1 second")
        task.set({ status: "working", statusMessage: "writing" })
        yield* pass("1 second")
        task.set({ status: "completed", result: text("done") })
        yield* pass("1 minute")
        yield* Fiber.join(call)
        assert.deepStrictEqual(messages, [[1, "gathering"], [2, "writing"]])
        assert.deepStrictEqual(states, [["task-1", "working"], ["task-1", "working"], ["task-1", "completed"]])
      }))

    it.effect("is asked for as often as the server wishes", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era, { status: "working", pollIntervalMs: 5_000 })
        const { client } = yield* connect(task)
        yield* Effect.forkChild(client.callTool("long"))
        yield* Scripted.settle
        yield* TestClock.adjust("4900 millis")
        assert.strictEqual(task.looks, 0)
        yield* pass("100 millis")
        assert.strictEqual(task.looks, 1)
        task.set({ status: "working", pollIntervalMs: 500 })
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(task.looks, 2)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(task.looks, 12)
      }))

    it.effect("fails with what the tool says, with the error of the task, or because it was cancelled", () =>
      Effect.gen(function*() {
        const outcome = (state: ConstructorParameters<typeof ScriptedTask>[1]) =>
          Effect.gen(function*() {
            const task = new ScriptedTask(era, state)
            const { client, written } = yield* connect(task)
            const error = yield* Effect.flip(client.callTool("long"))
            assert.notInclude(Scripted.methods(written), "tasks/cancel")
            return error
          })
        const status = era === "legacy" ? "failed" as const : "completed" as const
        const failed = yield* outcome({ status, result: { ...text("no disk"), isError: true } })
        assert.strictEqual(failed.message, "the tool long failed: no disk")
        const refused = yield* outcome({
          status: "failed",
          statusMessage: "the index is gone",
          error: { code: -32603, message: "Internal error", data: { at: 7 } }
        })
        assert.deepInclude(refused, { _tag: "TaskError", task: "task-1", tool: "long" })
        assert.strictEqual(
          refused.message,
          "the task task-1 of the tool long failed: the index is gone (error -32603)"
        )
        assert.deepInclude(refused, {
          reason: {
            _tag: "Failed",
            statusMessage: "the index is gone",
            error: { code: -32603, message: "Internal error", data: { at: 7 } }
          }
        })
        const cancelled = yield* outcome({ status: "cancelled", statusMessage: "by the owner" })
        assert.strictEqual(cancelled.message, "the task task-1 of the tool long was cancelled: by the owner")
      }))

    it.effect("fails when the server has forgotten the task", () =>
      Effect.gen(function*() {
        const { client } = yield* connect(new ScriptedTask(era), {
          "tasks/get": Scripted.refusing(-32602, "Task has expired")
        })
        const call = yield* Effect.forkChild(Effect.flip(client.callTool("long")))
        yield* Scripted.settle
        yield* pass("1 second")
        assert.deepInclude(yield* Fiber.join(call), {
          _tag: "TaskError",
          reason: { _tag: "Unknown", text: "Task has expired" }
        })
      }))

    it.effect("is cancelled when it is interrupted", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const { client, written } = yield* connect(task)
        const call = yield* Effect.forkChild(client.callTool("long"))
        yield* Scripted.settle
        yield* Fiber.interrupt(call)
        const exit = yield* Fiber.await(call)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        assert.strictEqual(task.state.status, "cancelled")
        assert.deepInclude(Scripted.of(written, "tasks/cancel")[0]?.params, { taskId: "task-1" })
        assert.notInclude(Scripted.methods(written), "notifications/cancelled")
      }))

    it.effect("is cancelled when a stream of it is ended early", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era, { status: "working", statusMessage: "gathering" })
        const { client } = yield* connect(task)
        const events = yield* Stream.runCollect(Stream.take(client.streamTool("long"), 1))
        assert.deepStrictEqual(events, [{ _tag: "Progress", progress: { progress: 1, message: "gathering" } }])
        assert.strictEqual(task.state.status, "cancelled")
      }))

    it.effect("answers what the task asks by the handlers of the client, each question once", () =>
      Effect.gen(function*() {
        const asked: Array<string> = []
        const answered = yield* Deferred.make<ElicitResult>()
        const task = new ScriptedTask(era)
        const { client, server } = yield* connect(task, {}, {
          handlers: {
            elicit: ({ message }) => {
              asked.push(message)
              return Deferred.await(answered)
            }
          },
          tasks: { timeout: "3 seconds" }
        })
        const call = yield* Effect.forkChild(client.callTool("long"))
        yield* Scripted.settle
        task.set({
          status: "input_required",
          ...(era === "modern" && { inputRequests: { q1: { method: "elicitation/create", params: form } } })
        })
        yield* pass("1 second")
        // In the legacy era the question is a request, that says which task it belongs to.
        const related = { "io.modelcontextprotocol/related-task": { taskId: "task-1" } }
        const question = era === "legacy"
          ? yield* Effect.forkChild(
            server.request("elicitation/create", { ...form, _meta: related }, { timeout: "1 hour" })
          )
          : undefined
        // The person thinks for longer than the task may stay as it is.
        yield* pass("1 minute")
        assert.strictEqual(call.pollUnsafe(), undefined)
        const answer = { action: "accept" as const, content: { which: "snake" } }
        yield* Deferred.succeed(answered, answer)
        yield* Scripted.settle
        if (question === undefined) assert.deepStrictEqual(task.answers, { q1: answer })
        else assert.deepStrictEqual(yield* Fiber.join(question), { ...answer, _meta: related })
        // The same question may still be in the next state.
        yield* pass("1 second")
        task.set({ status: "completed", result: text("done") })
        yield* pass("1 second")
        assert.deepInclude(yield* Fiber.join(call), text("done"))
        assert.deepStrictEqual(asked, ["which?"])
      }))

    it.effect("goes on when the server does not answer for a while", () =>
      Effect.gen(function*() {
        let silent = 0
        const task = new ScriptedTask(era)
        const { client } = yield* connect(task, {
          "tasks/get": (call) =>
            Effect.suspend(() => silent++ < 3 ? Effect.never : task.handlers["tasks/get"]?.(call) ?? Effect.void)
        }, { timeout: "5 seconds" })
        const call = yield* Effect.forkChild(client.callTool("long"))
        yield* Scripted.settle
        task.set({ status: "completed", result: text("done") })
        yield* pass("1 minute")
        assert.deepInclude(yield* Fiber.join(call), text("done"))
      }))

    it.effect("ends when the task stays as it is, and the task is cancelled", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const { client } = yield* connect(task, {}, { tasks: { timeout: "10 seconds", maxTimeout: "25 seconds" } })
        const call = yield* Effect.forkChild(Effect.flip(client.callTool("long")))
        yield* Scripted.settle
        yield* TestClock.adjust("8500 millis")
        task.set({ status: "working", statusMessage: "slowly" })
        yield* TestClock.adjust("10400 millis")
        assert.strictEqual(call.pollUnsafe(), undefined)
        yield* pass("1 second")
        assert.deepInclude(yield* Fiber.join(call), {
          _tag: "TaskError",
          reason: { _tag: "Overdue", milliseconds: 10_000, limit: "timeout" }
        })
        assert.strictEqual(task.state.status, "cancelled")
      }))

    it.effect("ends after its longest time, however often the task changes", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const { client } = yield* connect(task, {}, { tasks: { timeout: "10 seconds", maxTimeout: "25 seconds" } })
        const call = yield* Effect.forkChild(Effect.flip(client.callTool("long")))
        yield* Scripted.settle
        for (let count = 0; count < 30; count++) {
          if (call.pollUnsafe() === undefined) task.set({ status: "working", statusMessage: `${count}` })
          yield* pass("1 second")
        }
        assert.deepInclude(yield* Fiber.join(call), {
          reason: { _tag: "Overdue", milliseconds: 25_000, limit: "maxTimeout" }
        })
      }))
  })
}

describe("what only one era has", () => {
  it.effect(`a legacy server is asked as the revision publishes it, checked by ${Published.source}`, () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("legacy")
      const { client, written } = yield* connect(task, { "tasks/list": Scripted.always({ tasks: [] }) })
      const call = yield* Effect.forkChild(client.callTool("long", {}, { task: { ttl: "1 minute" } }))
      yield* Scripted.settle
      yield* pass("1 second")
      yield* Fiber.interrupt(call)
      yield* Effect.flip(client.task("task-1").await)
      yield* client.listTasks()
      task.set({ status: "completed", result: text("done") })
      yield* client.task("task-1").await
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
      const { client, written } = yield* connect(new ScriptedTask("modern"), {}, { tasks: undefined })
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
      }, { tasks: undefined })
      const asked = (name: string, wants: boolean) =>
        Effect.map(client.callTool(name, {}, wants ? { task: { ttl: "1 minute" } } : {}), () => {
          const { params } = Scripted.of(written, "tools/call").at(-1) ?? {}
          return params?.["task"]
        })
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
