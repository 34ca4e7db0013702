/** A server of 2025-11-25 that asks its client by tasks. */
import { assert, describe, it } from "@effect/vitest"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type { McpHandlers } from "@parley/mcp/client/McpHandlers"
import type { ElicitResult } from "@parley/mcp/payload/Elicitation"
import type { SampleResult } from "@parley/mcp/payload/Sampling"
import { Deferred, Effect, Fiber, type Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Scripted from "../../../mcp/test/client/scripted.ts"
import * as Published from "../../../mcp/test/wire/support/published.ts"
import { form } from "./scriptedTask.ts"

const sampling = { messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }], maxTokens: 10 }

const four: SampleResult = { role: "assistant", content: { type: "text", text: "4" }, model: "m" }

const connect = (handlers: McpHandlers, tasks: TaskClient.TaskOptions = { answers: true }) =>
  Scripted.connect(Scripted.legacy(), { handlers, extensions: [TaskClient.use(tasks)] })

const sample = () => Effect.succeed(four)

const created = (json: Schema.Json) => (json as { readonly task: Schema.JsonObject & { readonly taskId: string } }).task

const later = { timeout: "2 hours" } as const

describe("questions of a legacy server that are tasks", () => {
  it.effect("are declared for the handlers that there are, where the program wants it", () =>
    Effect.gen(function*() {
      const declared = (handlers: McpHandlers, tasks: TaskClient.TaskOptions) =>
        Effect.map(connect(handlers, tasks), ({ written }) => {
          const { capabilities } = Scripted.of(written, "initialize")[0]?.params ?? {}
          return (capabilities as Schema.JsonObject)["tasks"]
        })
      const elicit = () => Effect.succeed<ElicitResult>({ action: "decline" })
      assert.strictEqual(yield* declared({ sample }, {}), undefined)
      assert.strictEqual(yield* declared({}, { answers: true }), undefined)
      assert.deepStrictEqual(yield* declared({ sample, elicit }, { answers: true }), {
        list: {},
        cancel: {},
        requests: { sampling: { createMessage: {} }, elicitation: { create: {} } }
      })
      assert.deepStrictEqual(yield* declared({ sample }, { answers: true }), {
        list: {},
        cancel: {},
        requests: { sampling: { createMessage: {} } }
      })
    }))

  it.effect("are answered with a task at once, whose result waits for the handler", () =>
    Effect.gen(function*() {
      const answered = yield* Deferred.make<SampleResult>()
      const { server, written } = yield* connect({ sample: () => Deferred.await(answered) })
      const task = created(yield* server.request("sampling/createMessage", { ...sampling, task: { ttl: 60_000 } }))
      assert.deepInclude(task, { status: "working", ttl: 60_000, pollInterval: 1_000 })
      const { taskId } = task
      assert.deepInclude(yield* server.request("tasks/get", { taskId }), { taskId, status: "working" })
      const result = yield* Effect.forkChild(server.request("tasks/result", { taskId }, later))
      yield* Scripted.settle
      assert.strictEqual(result.pollUnsafe(), undefined)
      yield* Deferred.succeed(answered, four)
      const _meta = { "io.modelcontextprotocol/related-task": { taskId } }
      assert.deepStrictEqual(yield* Fiber.join(result), { ...four, _meta })
      assert.deepInclude(yield* server.request("tasks/get", { taskId }), { status: "completed" })
      yield* Scripted.settle
      assert.deepInclude(Scripted.of(written, "notifications/tasks/status")[0]?.params, { taskId, status: "completed" })
      // It can be asked for again, and is in the list.
      assert.deepStrictEqual(yield* server.request("tasks/result", { taskId }), { ...four, _meta })
      assert.deepInclude(yield* server.request("tasks/list"), {
        tasks: [yield* server.request("tasks/get", { taskId })]
      })
    }))

  it.effect("that are not asked as tasks are answered as ever", () =>
    Effect.gen(function*() {
      const { server } = yield* connect({ sample })
      assert.deepStrictEqual(yield* server.request("sampling/createMessage", sampling), { ...four })
      // A client that has declared no tasks takes no notice of the wish for one.
      const { server: other } = yield* connect({ sample }, {})
      assert.deepStrictEqual(yield* other.request("sampling/createMessage", { ...sampling, task: {} }), { ...four })
      assert.deepInclude(yield* Effect.flip(other.request("tasks/list")), { code: -32601 })
    }))

  it.effect("fail with the error of the handler", () =>
    Effect.gen(function*() {
      const { server } = yield* connect({
        elicit: () => Effect.succeed<ElicitResult>({ action: "accept", content: {} })
      })
      const { taskId } = created(yield* server.request("elicitation/create", { ...form, task: {} }))
      const error = yield* Effect.flip(server.request("tasks/result", { taskId }))
      assert.deepInclude(error, { _tag: "RemoteError", code: -32603 })
      assert.deepInclude(yield* server.request("tasks/get", { taskId }), { status: "failed" })
      const { server: dying } = yield* connect({ sample: () => Effect.die(new Error("no model")) })
      const dead = created(yield* dying.request("sampling/createMessage", { ...sampling, task: {} }))
      const hidden = yield* Effect.flip(dying.request("tasks/result", { taskId: dead.taskId }))
      assert.deepInclude(hidden, { code: -32603, text: "Internal error" })
    }))

  it.effect("are cancelled by the server once, and their handlers with them", () =>
    Effect.gen(function*() {
      const stopped = yield* Deferred.make<void>()
      const { server } = yield* connect({
        sample: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
      })
      const { taskId } = created(yield* server.request("sampling/createMessage", { ...sampling, task: {} }))
      yield* Scripted.settle
      const result = yield* Effect.forkChild(Effect.flip(server.request("tasks/result", { taskId }, later)))
      assert.deepInclude(yield* server.request("tasks/cancel", { taskId }), { taskId, status: "cancelled" })
      yield* Deferred.await(stopped)
      assert.deepInclude(yield* Fiber.join(result), { _tag: "RemoteError" })
      assert.deepInclude(yield* Effect.flip(server.request("tasks/cancel", { taskId })), { code: -32602 })
      assert.deepInclude(yield* server.request("tasks/get", { taskId }), { status: "cancelled" })
    }))

  it.effect("are forgotten when their time is over, whatever the server wishes", () =>
    Effect.gen(function*() {
      const stopped = yield* Deferred.make<void>()
      const { server } = yield* connect({
        sample: () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
      })
      const year = 365 * 24 * 60 * 60 * 1_000
      const task = created(yield* server.request("sampling/createMessage", { ...sampling, task: { ttl: year } }))
      assert.strictEqual(task["ttl"], 60 * 60 * 1_000)
      const { taskId } = task
      const result = yield* Effect.forkChild(Effect.flip(server.request("tasks/result", { taskId }, later)))
      yield* TestClock.adjust("59 minutes")
      yield* server.request("tasks/get", { taskId })
      yield* TestClock.adjust("1 minute")
      yield* Deferred.await(stopped)
      assert.deepInclude(yield* Fiber.join(result), { code: -32602 })
      assert.deepInclude(yield* Effect.flip(server.request("tasks/get", { taskId })), { code: -32602 })
      assert.deepStrictEqual(yield* server.request("tasks/list"), { tasks: [] })
    }))

  it.effect("are bounded: the oldest that has ended makes room, and where all run the next is refused", () =>
    Effect.gen(function*() {
      let isQuick = true
      const { server } = yield* connect({ sample: () => isQuick ? Effect.succeed(four) : Effect.never })
      const asked = server.request("sampling/createMessage", { ...sampling, task: {} })
      const ask = Effect.map(Effect.tap(asked, () => Scripted.settle), created)
      const first = yield* ask
      for (let count = 0; count < 64; count++) yield* ask
      assert.deepInclude(yield* Effect.flip(server.request("tasks/get", { taskId: first.taskId })), { code: -32602 })
      isQuick = false
      for (let count = 0; count < 64; count++) yield* ask
      assert.deepInclude(yield* Effect.flip(ask), { _tag: "RemoteError", code: -31000 })
      const { tasks } = (yield* server.request("tasks/list")) as { readonly tasks: ReadonlyArray<unknown> }
      assert.lengthOf(tasks, 64)
    }))

  it.effect(`say all that they say as the revision publishes it, checked by ${Published.source}`, () =>
    Effect.gen(function*() {
      const fits = (name: string, value: unknown) =>
        assert.isUndefined(Published.fault("2025-11-25", { published: name, sdk: name }, value), name)
      const answered = yield* Deferred.make<SampleResult>()
      const { server, written } = yield* connect({ sample: () => Deferred.await(answered) })
      fits("InitializeRequest", Scripted.of(written, "initialize")[0])
      const asked = yield* server.request("sampling/createMessage", { ...sampling, task: { ttl: 5_000 } })
      fits("CreateTaskResult", asked)
      const { taskId } = created(asked)
      fits("GetTaskResult", yield* server.request("tasks/get", { taskId }))
      yield* Deferred.succeed(answered, four)
      fits("CreateMessageResult", yield* server.request("tasks/result", { taskId }))
      fits("ListTasksResult", yield* server.request("tasks/list"))
      yield* Scripted.settle
      fits("TaskStatusNotification", Scripted.of(written, "notifications/tasks/status")[0])
      const { server: other } = yield* connect({ sample: () => Effect.never })
      const endless = created(yield* other.request("sampling/createMessage", { ...sampling, task: {} }))
      fits("CancelTaskResult", yield* other.request("tasks/cancel", { taskId: endless.taskId }))
    }))

  it.effect("what does not fit is refused", () =>
    Effect.gen(function*() {
      const { server } = yield* connect({ sample })
      const wrong: ReadonlyArray<readonly [string, Schema.JsonObject]> = [
        ["sampling/createMessage", { ...sampling, task: { ttl: "long" } }],
        ["tasks/get", { taskId: 7 }],
        ["tasks/result", { taskId: "made up" }],
        ["tasks/list", { cursor: "made up" }]
      ]
      for (const [method, params] of wrong) {
        assert.deepInclude(yield* Effect.flip(server.request(method, params)), { _tag: "RemoteError", code: -32602 })
      }
    }))
})
