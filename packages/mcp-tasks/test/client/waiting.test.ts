import { assert, describe, it } from "@effect/vitest"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type { ElicitResult } from "@parley/mcp/payload/Elicitation"
import { Cause, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Scripted from "../../../mcp/test/client/scripted.ts"
import { connect, eras, form, pass, ScriptedTask, text } from "./scriptedTask.ts"

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
          extensions: [TaskClient.call({ onTask: ({ status, taskId }) => states.push([taskId, status]) })]
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
          extensions: [TaskClient.use({ timeout: "3 seconds" })]
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
        const { client } = yield* connect(task, {}, {
          extensions: [TaskClient.use({ timeout: "10 seconds", maxTimeout: "25 seconds" })]
        })
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
        const { client } = yield* connect(task, {}, {
          extensions: [TaskClient.use({ timeout: "10 seconds", maxTimeout: "25 seconds" })]
        })
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
