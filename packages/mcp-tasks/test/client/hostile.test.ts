/** Servers whose tasks break the rules: each costs a typed error, or time and memory within a bound. */
import { assert, describe, it } from "@effect/vitest"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type { Handlers } from "@parley/peer/Router"
import { Effect, Fiber, type Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Scripted from "../../../mcp/test/client/scripted.ts"
import { connect, eras, form, pass, ScriptedTask, text } from "./scriptedTask.ts"

const second = pass("1 second")

/** How a call ends, after some time. */
const outcome = (task: ScriptedTask, handlers: Handlers = {}, options: Parameters<typeof connect>[2] = {}) =>
  Effect.gen(function*() {
    const scripted = yield* connect(task, handlers, options)
    const call = yield* Effect.forkChild(Effect.flip(scripted.client.callTool("long")))
    yield* Scripted.settle
    for (let count = 0; count < 4; count++) yield* second
    return { ...scripted, call, error: call.pollUnsafe() === undefined ? undefined : yield* Fiber.join(call) }
  })

for (const era of eras) {
  describe(`a hostile server of the ${era} era`, () => {
    it.effect("wants to be asked at once, or in a year: it is asked ten times a second, or once a minute", () =>
      Effect.gen(function*() {
        for (const pollIntervalMs of [0, -5]) {
          const eager = new ScriptedTask(era, { status: "working", pollIntervalMs })
          yield* outcome(eager)
          assert.isAtMost(eager.looks, 40)
          assert.isAtLeast(eager.looks, 30)
        }
        const lazy = new ScriptedTask(era, { status: "working", pollIntervalMs: 365 * 24 * 60 * 60 * 1_000 })
        const { call } = yield* outcome(lazy)
        lazy.set({ status: "completed", result: text("done") })
        yield* TestClock.adjust("1 minute")
        yield* Scripted.settle
        assert.isDefined(call.pollUnsafe())
      }))

    it.effect("never ends a task: the client ends the waiting by itself", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const { call } = yield* outcome(task)
        yield* TestClock.adjust("61 minutes")
        yield* Scripted.settle
        assert.deepInclude(yield* Fiber.join(call), {
          _tag: "TaskError",
          reason: { _tag: "Overdue", milliseconds: 60 * 60 * 1_000, limit: "timeout" }
        })
      }))

    it.effect("names a task by a number, a text without end or nothing", () =>
      Effect.gen(function*() {
        for (const taskId of [7, null, { id: "task-1" }, "", "x".repeat(1_025)]) {
          const task = new ScriptedTask(era)
          const said = { ...task.said, taskId }
          const { error } = yield* outcome(task, {
            "tools/call": Scripted.always(era === "legacy" ? { task: said } : { ...said, resultType: "task" })
          })
          assert(error?._tag === "InvalidResult", JSON.stringify(taskId).slice(0, 20))
          assert.include(error.message, "taskId")
        }
      }))

    it.effect("answers with the state of another task, or with nonsense", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const another = yield* outcome(task, {
          "tasks/get": Scripted.always({ ...task.said, taskId: "task-2", resultType: "complete" })
        })
        assert.deepInclude(another.error, { _tag: "InvalidResult", method: "tasks/get", path: ["taskId"] })
        const odd = yield* outcome(new ScriptedTask(era), {
          "tasks/get": Scripted.always({ ...task.said, status: "running", resultType: "complete" })
        })
        assert.deepInclude(odd.error, { _tag: "InvalidResult", method: "tasks/get" })
        const none = yield* outcome(new ScriptedTask(era, { status: "completed", result: { content: "?" } }))
        assert.deepInclude(none.error, { _tag: "InvalidResult", method: "tools/call" })
      }))

    it.effect("goes back from the end: the first end counts", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era)
        const { client } = yield* connect(task)
        const call = yield* Effect.forkChild(client.callTool("long"))
        yield* Scripted.settle
        task.set({ status: "completed", result: text("done") })
        yield* TestClock.adjust("1 second")
        task.set({ status: "working" })
        yield* second
        assert.deepInclude(yield* Fiber.join(call), text("done"))
      }))

    it.effect("does not answer when it is told to cancel: nobody waits for it for long", () =>
      Effect.gen(function*() {
        const { client } = yield* connect(new ScriptedTask(era), { "tasks/cancel": () => Effect.never })
        const call = yield* Effect.forkChild(client.callTool("long"))
        yield* Scripted.settle
        const interrupted = yield* Effect.forkChild(Fiber.interrupt(call))
        yield* second
        assert.strictEqual(interrupted.pollUnsafe(), undefined)
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(interrupted)
      }))

    it.effect("has no more answers for a task: the call fails after some attempts", () =>
      Effect.gen(function*() {
        const { call } = yield* outcome(
          new ScriptedTask(era),
          { "tasks/get": () => Effect.never },
          { timeout: "1 second" }
        )
        yield* TestClock.adjust("2 minutes")
        yield* Scripted.settle
        assert.deepInclude(yield* Fiber.join(call), { _tag: "RequestTimeout", method: "tasks/get" })
      }))

    it.effect("floods a client with states: it keeps the last", () =>
      Effect.gen(function*() {
        const task = new ScriptedTask(era, { status: "working", pollIntervalMs: 60_000 })
        const { client, server } = yield* connect(task)
        let heard = 0
        const call = yield* Effect.forkChild(
          client.callTool("long", {}, { extensions: [TaskClient.call({ onTask: () => heard++ })] })
        )
        yield* Scripted.settle
        const method = era === "legacy" ? "notifications/tasks/status" : "notifications/tasks"
        for (let count = 0; count < 1_000; count++) {
          yield* server.notify(method, { ...task.said, statusMessage: `${count}` })
        }
        yield* Scripted.settle
        // A stream of the modern era names itself; what names none is heard by none.
        if (era === "modern") assert.strictEqual(heard, 1)
        else assert.isAtMost(heard, 1_001)
        yield* Fiber.interrupt(call)
      }))
  })
}

describe("questions of a hostile server", () => {
  const ask = (key: string): Schema.JsonObject => ({ [key]: { method: "elicitation/create", params: form } })

  const handlers = { elicit: () => Effect.succeed({ action: "decline" as const }) }

  it.effect("without end fail the call", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("modern")
      const { client, written } = yield* connect(task, {
        "tasks/get": () =>
          Effect.sync(() => {
            task.set({ status: "input_required", inputRequests: ask(`q${task.looks++}`), pollIntervalMs: 0 })
            return { ...task.said, resultType: "complete" }
          })
      }, { handlers, maxInputRounds: 2 })
      const call = yield* Effect.forkChild(Effect.flip(client.callTool("long")))
      yield* Scripted.settle
      for (let count = 0; count < 60; count++) yield* Effect.andThen(TestClock.adjust("100 millis"), Scripted.settle)
      assert.deepInclude(yield* Fiber.join(call), {
        _tag: "InputRefused",
        method: "tools/call",
        rule: "the task asks more than 32 questions"
      })
      assert.lengthOf(Scripted.of(written, "tasks/update"), 32)
      assert.include(Scripted.methods(written), "tasks/cancel")
    }))

  it.effect("a thousand at once fail the call as well, and few are asked at a time", () =>
    Effect.gen(function*() {
      let open = 0
      let most = 0
      const inputRequests = Object.assign({}, ...Array.from({ length: 1_000 }, (_, index) => ask(`q${index}`)))
      const task = new ScriptedTask("modern", { status: "input_required", inputRequests })
      const { client } = yield* connect(task, {}, {
        handlers: {
          elicit: () =>
            Effect.suspend(() => {
              most = Math.max(most, ++open)
              return Effect.ensuring(Effect.never, Effect.sync(() => open--))
            })
        }
      })
      const call = yield* Effect.forkChild(Effect.flip(client.callTool("long")))
      yield* Scripted.settle
      yield* second
      assert.strictEqual((yield* Fiber.join(call))._tag, "InputRefused")
      assert.isAtMost(most, 16)
      assert.strictEqual(open, 0)
    }))

  it.effect("with a key without end fail the call", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("modern", { status: "input_required", inputRequests: ask("q".repeat(1_025)) })
      const { error } = yield* outcome(task, {}, { handlers })
      assert.deepInclude(error, {
        _tag: "InputRefused",
        rule: "the key of a question has more than 1024 characters"
      })
    }))

  it.effect("that nobody answers fail the call, with what was asked", () =>
    Effect.gen(function*() {
      const { error } = yield* outcome(
        new ScriptedTask("modern", { status: "input_required", inputRequests: ask("q") })
      )
      assert.deepInclude(error, { _tag: "InputRefused", method: "tools/call", asked: "elicitation/create" })
    }))

  it.effect("whose answers are refused fail the call, unless the task has ended meanwhile", () =>
    Effect.gen(function*() {
      const update = { "tasks/update": Scripted.refusing(-32602, "no such key") }
      const task = new ScriptedTask("modern", { status: "input_required", inputRequests: ask("q") })
      const { error } = yield* outcome(task, update, { handlers })
      assert.deepInclude(error, { _tag: "ProtocolError", method: "tasks/update", text: "no such key" })
      const ended = new ScriptedTask("modern", { status: "input_required", inputRequests: ask("q") })
      const { client } = yield* connect(ended, {
        "tasks/update": () =>
          Effect.suspend(() => {
            ended.set({ status: "completed", result: text("done") })
            return update["tasks/update"]()
          })
      }, { handlers })
      const call = yield* Effect.forkChild(client.callTool("long"))
      yield* Scripted.settle
      yield* second
      yield* second
      assert.deepInclude(yield* Fiber.join(call), text("done"))
    }))

  it.effect("of the legacy era that never come leave the waiting its bounds", () =>
    Effect.gen(function*() {
      const task = new ScriptedTask("legacy", { status: "input_required" })
      const { call, written } = yield* outcome(task, {}, {
        handlers,
        extensions: [TaskClient.use({ timeout: "1 minute" })]
      })
      assert.lengthOf(Scripted.of(written, "tasks/result"), 1)
      yield* TestClock.adjust("1 minute")
      yield* Scripted.settle
      assert.deepInclude(yield* Fiber.join(call), { _tag: "TaskError", task: "task-1" })
    }))
})
