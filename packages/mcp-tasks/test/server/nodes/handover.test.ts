/** Tasks that go from one process to another, over a journal that takes its time. */
import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpTool from "@parley/mcp/McpTool"
import type { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Overloaded } from "@parley/mesh/Mesh"
import { Deferred, Effect, Fiber, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { open, type Said } from "../../../../mcp/test/server/support/line.ts"
import { isStatus, knowing, node, stateWhere } from "../support.ts"

const silent = Effect.provide(Logger.layer([]))

/** A node whose tools write down who runs them. */
const start = Effect.fnUntraced(function*(name: string, journal: Journal, runs: Array<string>) {
  const features = [
    McpTool.make(
      "again",
      { extensions: [McpTasks.optional({ resumable: true })] },
      (_, call) =>
        Effect.gen(function*() {
          runs.push(name)
          if (name === "a") yield* Effect.never
          yield* Effect.sleep("1 minute")
          yield* call.progress({ progress: 1, total: 2, message: "half" })
          yield* Effect.sleep("1 minute")
          return `run by ${name}`
        })
    ),
    McpTool.make("soon", { extensions: [McpTasks.optional()] }, () => Effect.as(Effect.sleep("1 second"), "done"))
  ]
  const { server } = yield* node(features, { journal, tasks: { lease: "10 seconds" } })
  return yield* open(server, { revision: "2026-07-28", caller: { principal: "ann" } })
})

const call = (name: string) => knowing({ name, arguments: {} })

/** A journal whose node has died without a word, and the task that it has left. */
const orphaned = Effect.fnUntraced(function*(runs: Array<string>) {
  const journal = yield* MemoryNodes.makeJournal()
  let isDead = false
  const dying: Journal = {
    ...journal,
    append: (key, said, epoch) =>
      Effect.suspend(() => isDead ? new Overloaded({ key, reason: "dead" }) : journal.append(key, said, epoch))
  }
  const line = yield* start("a", dying, runs)
  const { taskId = "" } = yield* line.result("tools/call", call("again"))
  yield* TestClock.adjust(1)
  isDead = true
  yield* TestClock.adjust("11 seconds")
  return { journal, taskId }
})

/** Holds the first fence of a journal until two have looked whether a node is alive, and others until a state is there. */
const late = (journal: Journal, written: Deferred.Deferred<void>): Journal => {
  let fences = 0
  let reads = 0
  const looked = Deferred.makeUnsafe<void>()
  const held = (count: number) => Deferred.await(count === 1 ? looked : written)
  return {
    ...journal,
    fence: (key, epoch) => Effect.suspend(() => Effect.andThen(held(++fences), journal.fence(key, epoch))),
    last: (key) =>
      Effect.tap(
        journal.last(key),
        () => key.includes("/nodes/") && ++reads === 2 ? Deferred.succeed(looked, undefined) : Effect.void
      )
  }
}

const telling = (journal: Journal, taskId: unknown, written: Deferred.Deferred<void>): Journal => ({
  ...journal,
  append: (key, said, epoch) =>
    Effect.tap(
      journal.append(key, said, epoch),
      () => key.endsWith(`/${String(taskId)}`) ? Deferred.succeed(written, undefined) : Effect.void
    )
})

describe("a task whose process has gone", () => {
  it.effect("is taken over once by a process that is asked for it twice at a time", () =>
    Effect.gen(function*() {
      const runs: Array<string> = []
      const { journal, taskId } = yield* orphaned(runs)
      const written = Deferred.makeUnsafe<void>()
      const b = yield* start("b", late(telling(journal, taskId, written), written), runs)
      const asked = knowing({ taskId })
      yield* b.write({ jsonrpc: "2.0", id: "first", method: "tasks/get", params: asked })
      // The second has the newer epoch.
      yield* TestClock.adjust(1)
      yield* b.write({ jsonrpc: "2.0", id: "second", method: "tasks/get", params: asked })
      yield* b.next
      yield* b.next
      yield* TestClock.adjust("3 minutes")
      const state = yield* stateWhere(b, taskId, isStatus("completed"))
      assert.deepNestedInclude(state, { "result.content": [{ type: "text", text: "run by b" }] })
      assert.deepStrictEqual(runs, ["a", "b"])
    }).pipe(silent))

  it.effect("goes on with the process that has fenced it, where two come upon it", () =>
    Effect.gen(function*() {
      const runs: Array<string> = []
      const { journal, taskId } = yield* orphaned(runs)
      const looks = Deferred.makeUnsafe<void>()
      const b = yield* start("b", journal, runs)
      const c = yield* start("c", {
        ...journal,
        last: (key) =>
          key.includes("/nodes/") ? Effect.andThen(Deferred.await(looks), journal.last(key)) : journal.last(key)
      }, runs)
      // What it looks at will be of before, when it knows that the first process has gone.
      yield* c.write({ jsonrpc: "2.0", id: "late", method: "tasks/get", params: knowing({ taskId }) })
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* b.result("tasks/get", knowing({ taskId })), { status: "working" })
      yield* TestClock.adjust(1)
      yield* Deferred.succeed(looks, undefined)
      yield* c.next
      yield* TestClock.adjust("3 minutes")
      const state = yield* stateWhere(c, taskId, isStatus("completed"))
      assert.deepNestedInclude(state, { "result.content": [{ type: "text", text: "run by c" }] })
      assert.deepStrictEqual(yield* b.result("tasks/get", knowing({ taskId })), state)
    }).pipe(silent))
})

describe("a client that waits for the result of a task", () => {
  it.effect("answers the process that asks it now, wherever the task has gone", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      let isDead = false
      const asks = McpTool.make("asks", { extensions: [McpTasks.optional({ resumable: true })] }, (_, call) =>
        Effect.map(
          call.elicit("name", { message: "Who?", fields: { name: Schema.String } }),
          (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
        ))
      const tasks = { lease: "10 seconds" } as const
      const dying: Journal = {
        ...journal,
        append: (key, said, epoch) =>
          Effect.suspend(() => isDead ? new Overloaded({ key, reason: "dead" }) : journal.append(key, said, epoch))
      }
      const [a, b, c] = [
        yield* node([asks], { journal: dying, tasks }),
        yield* node([asks], { journal, tasks }),
        yield* node([asks], { journal, tasks })
      ]
      const caller = { principal: "ann" }
      const first = yield* open(a.server, { revision: "2025-11-25", caller })
      const client = yield* open(c.server, { revision: "2025-11-25", caller })
      const other = yield* open(b.server, { revision: "2025-11-25", caller })
      const hello = {
        protocolVersion: "2025-11-25",
        capabilities: { elicitation: {} },
        clientInfo: { name: "test", version: "1" }
      }
      for (const line of [first, client, other]) yield* line.result("initialize", hello)
      const { task } = yield* first.result("tools/call", { name: "asks", arguments: {}, task: {} })
      const { taskId } = task as { readonly taskId: string }
      yield* TestClock.adjust(1)
      yield* client.write({ jsonrpc: "2.0", id: "result", method: "tasks/result", params: { taskId } })
      assert.deepInclude(yield* client.next, { method: "elicitation/create" })
      isDead = true
      yield* TestClock.adjust("9 seconds")
      yield* TestClock.adjust("1 second")
      yield* other.result("tasks/get", { taskId })
      let answer: Said = {}
      while (answer.id !== "result") {
        if (answer.method === "elicitation/create") {
          const result = { action: "accept", content: { name: "Ann" } }
          yield* client.write({ jsonrpc: "2.0", id: answer.id ?? 0, result })
        }
        yield* TestClock.adjust("1 second")
        answer = yield* client.next
      }
      assert.deepNestedInclude(answer, { "result.content": [{ type: "text", text: "Ann" }] })
    }).pipe(silent))
})

describe("a task that has its process", () => {
  it.effect("is not taken over from a list that it has just come into", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      const listed = Deferred.makeUnsafe<void>()
      const release = Deferred.makeUnsafe<void>()
      const slow: Journal = {
        ...journal,
        append: (key, said, epoch) =>
          Effect.tap(journal.append(key, said, epoch), () =>
            key.includes("/of/")
              ? Effect.andThen(Deferred.succeed(listed, undefined), Deferred.await(release))
              : Effect.void)
      }
      const { server } = yield* node([
        McpTool.make("soon", { extensions: [McpTasks.optional()] }, () => Effect.as(Effect.sleep("1 second"), "done"))
      ], { journal: slow })
      const caller = { principal: "ann" }
      const maker = yield* open(server, { revision: "2025-11-25", caller })
      const reader = yield* open(server, { revision: "2025-11-25", caller })
      const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      for (const line of [maker, reader]) yield* line.result("initialize", hello)
      yield* TestClock.adjust("1 second")
      const made = yield* Effect.forkChild(maker.result("tools/call", { name: "soon", arguments: {}, task: {} }))
      yield* Deferred.await(listed)
      // The server cannot end while a task is being made.
      const { tasks } = yield* Effect.ensuring(reader.result("tasks/list"), Deferred.succeed(release, undefined))
      assert.deepNestedInclude({ tasks }, { "tasks[0].status": "working" })
      const { task } = yield* Fiber.join(made)
      yield* TestClock.adjust("2 seconds")
      const { taskId } = task as { readonly taskId: string }
      assert.deepInclude(yield* maker.result("tasks/get", { taskId }), { status: "completed" })
    }).pipe(silent))

  it.effect("keeps it until its last state is written", () =>
    Effect.gen(function*() {
      const runs: Array<string> = []
      const journal = yield* MemoryNodes.makeJournal()
      let isAway = false
      const a = yield* start("a", {
        ...journal,
        append: (key, said, epoch) =>
          Effect.suspend(() =>
            isAway && !key.includes("/nodes/")
              ? new Overloaded({ key, reason: "away" })
              : journal.append(key, said, epoch)
          )
      }, runs)
      const b = yield* start("b", journal, runs)
      const { taskId = "" } = yield* a.result("tools/call", call("soon"))
      isAway = true
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* b.result("tasks/get", knowing({ taskId })), { status: "working" })
      isAway = false
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* b.result("tasks/get", knowing({ taskId })), { status: "completed" })
    }).pipe(silent))
})
