import { assert, describe, it } from "@effect/vitest"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import { Effect, Fiber, Stream } from "effect"
import * as Scripted from "../../../mcp/test/client/scripted.ts"
import { connect, eras, form, pass, ScriptedTask, tasksOf, text } from "./scriptedTask.ts"

const second = pass("1 second")

for (const era of eras) {
  describe(`a handle of a task of the ${era} era`, () => {
    it.effect("is what a call gives that is started, and has its result at last", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const { client } = yield* connect(task)
        const started = yield* tasksOf(client).start("long", { a: 1 })
        assert(started._tag === "Task")
        assert.strictEqual(started.task.id, "task-1")
        assert.strictEqual(started.created.task.status, "working")
        const waiting = yield* Effect.forkChild(started.task.await)
        yield* Scripted.settle
        task.set({ status: "completed", result: text("done") })
        yield* second
        assert.deepInclude(yield* Fiber.join(waiting), text("done"))
        // It may be asked for again.
        assert.deepInclude(yield* started.task.await, text("done"))
      }))

    it.effect("a server may answer a call at once all the same", () =>
      Effect.gen(function*() {
        const { client } = yield* connect(new ScriptedTask(era), { "tools/call": Scripted.always(text("at once")) })
        const started = yield* tasksOf(client).start("long")
        assert(started._tag === "Result")
        assert.deepInclude(started.result, text("at once"))
        const failed = yield* connect(new ScriptedTask(era), {
          "tools/call": Scripted.always({ ...text("no"), isError: true })
        })
        assert.strictEqual((yield* Effect.flip(tasksOf(failed.client).start("long")))._tag, "ToolError")
      }))

    it.effect("nothing is cancelled when nobody waits any more, or the client ends", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const written = yield* Effect.scoped(Effect.gen(function*() {
          const { client, written } = yield* connect(task)
          const started = yield* tasksOf(client).start("long")
          assert(started._tag === "Task")
          const waiting = yield* Effect.forkChild(started.task.await)
          yield* second
          yield* Fiber.interrupt(waiting)
          return written
        }))
        assert.notInclude(Scripted.methods(written), "tasks/cancel")
        assert.strictEqual(task.state.status, "working")
      }))

    it.effect("a task is taken up by its id, by another client", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const other = yield* connect(task)
        const handle = tasksOf(other.client).task("task-1")
        assert.deepInclude(yield* handle.get, { taskId: "task-1", status: "working", ttlMs: null })
        task.set({ status: "completed", result: text("done") })
        assert.deepInclude(yield* handle.await, text("done"))
        const { client } = yield* connect(
          new ScriptedTask(era, { status: "completed", result: { ...text("no disk"), isError: true } })
        )
        const nameless = yield* Effect.flip(tasksOf(client).task("task-1").await)
        assert.strictEqual(nameless.message, "the tool of task task-1 failed: no disk")
        const named = yield* Effect.flip(tasksOf(client).task("task-1", { tool: "long" }).await)
        assert.strictEqual(named.message, "the tool long failed: no disk")
      }))

    it.effect("an id that the server does not know fails each wish alike", () =>
      Effect.gen(function*() {
        const { client } = yield* connect(new ScriptedTask(era), {
          "tasks/cancel": Scripted.refusing(-32602, "Task not found")
        })
        const handle = tasksOf(client).task("another")
        for (const wish of [handle.get, handle.cancel, handle.await, Stream.runDrain(handle.states)]) {
          const error = yield* Effect.flip(Effect.asVoid(wish))
          assert.deepInclude(error, { _tag: "TaskError", task: "another" })
          assert.match(error.message, /^the task another is not known to the server: .*Task not found$/)
        }
      }))

    it.effect("its states come one after the other, until the last", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const { client } = yield* connect(task)
        const states = yield* Effect.forkChild(Stream.runCollect(tasksOf(client).task("task-1").states))
        yield* Scripted.settle
        for (const statusMessage of ["one", "two", "two"]) {
          if (task.state.statusMessage !== statusMessage) task.set({ status: "working", statusMessage })
          yield* second
        }
        task.set({ status: "cancelled" })
        yield* second
        const seen = (yield* Fiber.join(states)).map(({ status, statusMessage }) => [status, statusMessage])
        assert.deepStrictEqual(seen, [
          ["working", undefined],
          ["working", "one"],
          ["working", "two"],
          ["cancelled", undefined]
        ])
      }))

    it.effect("states are seen without answering what the task asks", () =>
      Effect.gen(function*() {
        let asked = 0
        const task = new ScriptedTask(era, {
          status: "input_required",
          ...(era === "modern" && { inputRequests: { q: { method: "elicitation/create", params: form } } })
        })
        const { client, written } = yield* connect(task, {}, {
          handlers: { elicit: () => Effect.sync(() => (asked++, { action: "decline" as const })) }
        })
        const states = yield* Effect.forkChild(Stream.runDrain(tasksOf(client).task("task-1").states))
        yield* second
        yield* Fiber.interrupt(states)
        assert.strictEqual(asked, 0)
        assert.notInclude(Scripted.methods(written), "tasks/result")
        assert.notInclude(Scripted.methods(written), "tasks/update")
      }))

    it.effect("cancelling succeeds where the task has ended already", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const { client } = yield* connect(task)
        yield* tasksOf(client).task("task-1").cancel
        assert.strictEqual(task.state.status, "cancelled")
        const over = yield* connect(new ScriptedTask(era, { status: "completed", result: text("done") }), {
          "tasks/cancel": Scripted.refusing(-32602, "already in terminal status")
        })
        yield* tasksOf(over.client).task("task-1").cancel
      }))

    it.effect("a question is asked once, however many wait for the task", () =>
      Effect.gen(function*() {
        let asked = 0
        const task = new ScriptedTask("modern", {
          status: "input_required",
          inputRequests: { q: { method: "elicitation/create", params: form } }
        })
        const { client } = yield* connect(task, {}, {
          handlers: { elicit: () => Effect.sync(() => (asked++, { action: "decline" as const })) }
        })
        const waiting = yield* Effect.forEach(
          [tasksOf(client).task("task-1"), tasksOf(client).task("task-1")],
          (handle) => Effect.forkChild(handle.await)
        )
        yield* second
        assert.strictEqual(asked, 1)
        task.set({ status: "completed", result: text("done") })
        yield* second
        for (const one of waiting) assert.deepInclude(yield* Fiber.join(one), text("done"))
      }))

    it.effect("a question is asked again after nobody has answered it", () =>
      Effect.gen(function*() {
        let asked = 0
        const task = new ScriptedTask("modern", {
          status: "input_required",
          inputRequests: { q: { method: "elicitation/create", params: form } }
        })
        const { client } = yield* connect(task, {}, {
          handlers: {
            elicit: () =>
              Effect.suspend(() => asked++ === 0 ? Effect.never : Effect.succeed({ action: "decline" as const }))
          }
        })
        const handle = tasksOf(client).task("task-1")
        const first = yield* Effect.forkChild(handle.await)
        yield* Scripted.settle
        yield* Fiber.interrupt(first)
        const second = yield* Effect.forkChild(handle.await)
        yield* Scripted.settle
        assert.strictEqual(asked, 2)
        assert.deepStrictEqual(task.answers, { q: { action: "decline" } })
        yield* Fiber.interrupt(second)
      }))
  })
}

describe("what only one era has", () => {
  it.effect("a server of the legacy era lists its tasks", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("legacy")
      const { client } = yield* connect(task, {
        "tasks/list": ({ params }) =>
          Effect.succeed(
            Object.hasOwn(Object(params), "cursor")
              ? { tasks: [{ ...task.said, taskId: "task-2" }] }
              : { tasks: [task.said], nextCursor: "more" }
          )
      })
      assert.deepStrictEqual((yield* tasksOf(client).list()).map(({ taskId }) => taskId), ["task-1", "task-2"])
      const head = yield* Stream.runCollect(Stream.take(tasksOf(client).tasks, 1))
      assert.deepInclude(head[0], { taskId: "task-1", ttlMs: null })
      const { client: modern } = yield* connect(new ScriptedTask("modern"))
      assert.deepInclude(yield* Effect.flip(tasksOf(modern).list()), {
        _tag: "UnsupportedCapability",
        method: "tasks/list"
      })
    }))

  it.effect("nothing is sent to a server that has no tasks", () =>
    Effect.gen(function*() {
      for (const serve of [Scripted.legacy, Scripted.modern]) {
        const { client, written } = yield* Scripted.connect(serve(), { extensions: [TaskClient.use()] })
        const before = written.length
        const error = yield* Effect.flip(tasksOf(client).task("task-1").get)
        assert.strictEqual(error._tag, "UnsupportedCapability")
        assert.lengthOf(written, before)
      }
      const { client } = yield* Scripted.connect(Scripted.legacy(), {
        extensions: [TaskClient.use()],
        protocolVersion: "2025-06-18"
      })
      const error = yield* Effect.flip(tasksOf(client).task("task-1").get)
      assert.strictEqual(error.message, "tasks/get is no method of the revision in use")
      const unlisted = yield* Effect.flip(tasksOf(client).list())
      assert.strictEqual(unlisted._tag, "UnsupportedCapability")
    }))
})
