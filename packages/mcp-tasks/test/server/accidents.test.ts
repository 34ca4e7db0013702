import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpTool from "@parley/mcp/McpTool"
import type { Journal } from "@parley/mesh/Journal"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Deferred, Effect, Exit, Fiber, Logger, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { greet, type Json, open } from "../../../mcp/test/server/support/line.ts"
import { asks, isStatus, knowing, node, stateWhere, text } from "./support.ts"

const silent = Effect.provide(Logger.layer([]))

const wait = McpTool.make(
  "wait",
  { extensions: [McpTasks.optional()] },
  () => Effect.as(Effect.sleep("1 hour"), "waited")
)

const call = (name: string, capabilities: Json = { elicitation: {} }) => knowing({ name, arguments: {} }, capabilities)

const accepted = { action: "accept", content: { name: "Ann" } }

/** A journal that forgets the keys that a test names. */
const forgetful = Effect.map(MemoryNodes.makeJournal(), (journal) => {
  /** The keys, and the epoch of the last text of each: an older one could not drop it. */
  const keys = new Map<string, number>()
  let isOpen = Effect.void
  return {
    keys,
    journal: {
      ...journal,
      append: (key, said, epoch) =>
        Effect.tap(journal.append(key, said, epoch), () => Effect.sync(() => keys.set(key, epoch))),
      follow: (key, after) => Stream.unwrap(Effect.suspend(() => Effect.as(isOpen, journal.follow(key, after))))
    } satisfies Journal,
    /** From now on, what is followed is read after this. */
    readAfter: (effect: Effect.Effect<void>) => Effect.sync(() => void (isOpen = effect)),
    forget: (pattern: RegExp) =>
      Effect.forEach([...keys].filter(([key]) => pattern.test(key)), ([key, epoch]) => journal.drop(key, epoch), {
        discard: true
      })
  }
})

describe("the tasks of a server outlive accidents", () => {
  it.effect("a question is sent to who waits for the result, when the session that was asked has gone", () =>
    Effect.gen(function*() {
      const { server } = yield* node([asks])
      const scope = yield* Scope.make()
      const gone = yield* Scope.provide(open(server, { revision: "2025-11-25" }), scope)
      yield* greet(gone, "2025-11-25", { elicitation: {} })
      const { taskId = "" } = (yield* gone.result("tools/call", { name: "asks", task: {} }))["task"] as Json
      yield* stateWhere(gone, taskId, isStatus("input_required"), (params) => params)
      const isAsked = gone.aside.some(({ method }) => method === "elicitation/create")
      if (!isAsked) assert.strictEqual((yield* gone.next).method, "elicitation/create")
      const next = yield* open(server, { revision: "2025-11-25" })
      yield* greet(next, "2025-11-25", { elicitation: {} })
      yield* next.write({ jsonrpc: "2.0", id: "waits", method: "tasks/result", params: { taskId } })
      yield* next.result("tasks/get", { taskId })
      yield* Scope.close(scope, Exit.void)
      const asked = yield* next.next
      assert.strictEqual(asked.method, "elicitation/create")
      yield* next.write({ jsonrpc: "2.0", id: asked.id ?? "", result: accepted })
      assert.deepNestedInclude(yield* next.next, { id: "waits", "result.content": text("Ann") })
    }).pipe(silent))

  it.effect("a question that comes when its session has gone waits for who asks for the result", () =>
    Effect.gen(function*() {
      const isGone = yield* Deferred.make<void>()
      const late = McpTool.make("late", { extensions: [McpTasks.optional()] }, (_, call) =>
        Effect.andThen(
          Deferred.await(isGone),
          Effect.map(
            call.elicit("name", { message: "Who?", fields: { name: Schema.String } }),
            (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
          )
        ))
      const { server } = yield* node([late])
      const scope = yield* Scope.make()
      const gone = yield* Scope.provide(open(server, { revision: "2025-11-25" }), scope)
      yield* greet(gone, "2025-11-25", { elicitation: {} })
      const { taskId = "" } = (yield* gone.result("tools/call", { name: "late", task: {} }))["task"] as Json
      yield* gone.result("tasks/get", { taskId })
      yield* Scope.close(scope, Exit.void)
      yield* Deferred.succeed(isGone, undefined)
      yield* TestClock.adjust("1 second")
      const next = yield* open(server, { revision: "2025-11-25" })
      yield* greet(next, "2025-11-25", { elicitation: {} })
      yield* next.write({ jsonrpc: "2.0", id: "waits", method: "tasks/result", params: { taskId } })
      const asked = yield* next.next
      assert.strictEqual(asked.method, "elicitation/create")
      yield* next.write({ jsonrpc: "2.0", id: asked.id ?? "", result: accepted })
      assert.deepNestedInclude(yield* next.next, { id: "waits", "result.content": text("Ann") })
    }).pipe(silent))

  it.effect("a node hears of its tasks after its journal has forgotten what it was told before", () =>
    Effect.gen(function*() {
      const { forget, journal, readAfter } = yield* forgetful
      const [a, b] = [yield* node([wait], { journal }), yield* node([wait], { journal })]
      const [near, far] = [
        yield* open(a.server, { revision: "2026-07-28" }),
        yield* open(b.server, { revision: "2026-07-28" })
      ]
      for (let times = 0; times < 3; times++) {
        const { taskId = "" } = yield* near.result("tools/call", call("wait"))
        const other = (yield* near.result("tools/call", call("wait")))["taskId"] ?? ""
        yield* far.result("tasks/cancel", knowing({ taskId }))
        yield* stateWhere(near, taskId, isStatus("cancelled"))
        yield* forget(/\/inbox$/)
        yield* far.result("tasks/cancel", knowing({ taskId: other }))
        yield* TestClock.adjust("2 seconds")
        yield* stateWhere(near, other, isStatus("cancelled"))
      }
      yield* forget(/\/inbox$/)
      const isRead = yield* Deferred.make<void>()
      yield* readAfter(Deferred.await(isRead))
      const { taskId = "" } = yield* near.result("tools/call", call("wait"))
      yield* far.result("tasks/cancel", knowing({ taskId }))
      yield* Deferred.succeed(isRead, undefined)
      yield* TestClock.adjust("2 seconds")
      yield* stateWhere(near, taskId, isStatus("cancelled"))
    }))

  it.effect("a node that has no tasks any more keeps nothing of what it was told", () =>
    Effect.gen(function*() {
      const { journal, keys } = yield* forgetful
      const [a, b] = [yield* node([wait], { journal }), yield* node([wait], { journal })]
      const near = yield* open(a.server, { revision: "2026-07-28" })
      const far = yield* open(b.server, { revision: "2026-07-28" })
      for (let times = 0; times < 3; times++) {
        const { taskId = "" } = yield* near.result("tools/call", call("wait"))
        yield* far.result("tasks/cancel", knowing({ taskId }))
        yield* stateWhere(near, taskId, isStatus("cancelled"))
      }
      const [inbox = ""] = [...keys.keys()].filter((key) => key.endsWith("/inbox"))
      assert.lengthOf(yield* journal.read(inbox, 0), 1)
    }))

  it.effect("who waits for a result has it, though the journal has forgotten the state that they saw", () =>
    Effect.gen(function*() {
      const { forget, journal } = yield* forgetful
      const { server } = yield* node([asks], { journal })
      const line = yield* open(server, { revision: "2025-11-25" })
      yield* greet(line, "2025-11-25", { elicitation: {} })
      const { taskId = "" } = (yield* line.result("tools/call", { name: "asks", task: {} }))["task"] as Json
      yield* line.write({ jsonrpc: "2.0", id: "waits", method: "tasks/result", params: { taskId } })
      yield* stateWhere(line, taskId, isStatus("input_required"), (params) => params)
      const known = line.aside.find(({ method }) => method === "elicitation/create")
      const asked = known ?? (yield* line.next)
      yield* forget(new RegExp(String(taskId)))
      yield* line.write({ jsonrpc: "2.0", id: asked.id ?? "", result: accepted })
      for (;;) {
        const said = yield* line.next
        if (said.id !== "waits") continue
        assert.deepNestedInclude(said, { "result.content": text("Ann") })
        break
      }
    }))

  it.effect("an id that is no text is unknown, also among others that are listened to", () =>
    Effect.gen(function*() {
      const { server } = yield* node([wait])
      const line = yield* open(server, { revision: "2026-07-28" })
      const { taskId = "" } = yield* line.result("tools/call", call("wait"))
      for (const method of ["tasks/get", "tasks/cancel"]) {
        assert.strictEqual((yield* line.refusal(method, knowing({ taskId: "\ud800" }))).code, -32602)
      }
      const notifications = { taskIds: ["\ud800", taskId] }
      yield* line.write({ jsonrpc: "2.0", id: "l", method: "subscriptions/listen", params: knowing({ notifications }) })
      const said = yield* line.next
      assert.deepNestedInclude(said, { "params.notifications": { taskIds: [taskId] } })
    }))

  it.effect("a task that is listed runs already", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      const isListed = yield* Deferred.make<void>()
      const isRead = yield* Deferred.make<void>()
      const { server } = yield* node([wait], {
        journal: {
          ...journal,
          // The journal has it before its writer hears so.
          append: (key, said, epoch) =>
            Effect.tap(
              journal.append(key, said, epoch),
              () =>
                /\/of\//.test(key)
                  ? Effect.andThen(Deferred.succeed(isListed, undefined), Deferred.await(isRead))
                  : Effect.void
            )
        }
      })
      const caller = { principal: "ann" }
      const [line, other] = [
        yield* open(server, { revision: "2025-11-25", caller }),
        yield* open(server, { revision: "2025-11-25", caller })
      ]
      yield* greet(line, "2025-11-25")
      yield* greet(other, "2025-11-25")
      yield* Effect.addFinalizer(() => Deferred.succeed(isRead, undefined))
      const made = yield* Effect.forkChild(line.result("tools/call", { name: "wait", task: {} }))
      yield* Deferred.await(isListed)
      const { tasks } = yield* other.result("tasks/list")
      const { status, taskId = "" } = (tasks as ReadonlyArray<Json>)[0] ?? {}
      assert.strictEqual(status, "working")
      const cancelled = yield* Effect.forkChild(other.result("tasks/cancel", { taskId }))
      yield* Effect.yieldNow
      yield* Deferred.succeed(isRead, undefined)
      yield* Fiber.join(made)
      assert.deepInclude(yield* Fiber.join(cancelled), { status: "cancelled" })
    }))

  it.effect("a task that is cancelled ends, also where it asks in a place that is not interrupted", () =>
    Effect.gen(function*() {
      const ended = yield* Deferred.make<void>()
      const stubborn = McpTool.make(
        "stubborn",
        { extensions: [McpTasks.optional()] },
        (_, call) =>
          Effect.acquireUseRelease(
            call.elicit("name", { message: "Who?", fields: { name: Schema.String } }),
            () => Effect.succeed("used"),
            () => Effect.void
          ).pipe(Effect.ensuring(Deferred.succeed(ended, undefined)))
      )
      const { server } = yield* node([stubborn], { tasks: { running: 1 } })
      const line = yield* open(server, { revision: "2026-07-28" })
      const { taskId = "" } = yield* line.result("tools/call", call("stubborn"))
      yield* stateWhere(line, taskId, isStatus("input_required"))
      yield* line.result("tasks/cancel", knowing({ taskId }))
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* Deferred.isDone(ended))
      yield* line.result("tools/call", call("stubborn"))
    }))

  it.effect("a clock that is set back holds up no word of how far a task is", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("2 hours")
      const isBack = yield* Deferred.make<void>()
      const says = McpTool.make("says", { extensions: [McpTasks.optional()] }, (_, call) =>
        call.progress({ progress: 1, total: 2, message: "one" }).pipe(
          Effect.andThen(Deferred.await(isBack)),
          Effect.andThen(call.progress({ progress: 2, total: 2, message: "two" })),
          Effect.andThen(Effect.never),
          Effect.as("")
        ))
      const { server } = yield* node([says])
      const line = yield* open(server, { revision: "2026-07-28" })
      const { taskId = "" } = yield* line.result("tools/call", call("says"))
      yield* stateWhere(line, taskId, ({ statusMessage }) =>
        statusMessage === "one")
      yield* TestClock.setTime(3_600_000)
      yield* Deferred.succeed(isBack, undefined)
      yield* stateWhere(line, taskId, ({ statusMessage }) =>
        statusMessage === "two")
    }))

  it.effect("a node whose clock is behind takes a task over", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("2 hours")
      const journal = yield* MemoryNodes.makeJournal()
      const again = (name: string) =>
        McpTool.make("again", { extensions: [McpTasks.optional({ resumable: true })] }, () =>
          name === "a" ? Effect.never : Effect.succeed(name))
      const [a, b] = [yield* node([again("a")], { journal }), yield* node([again("b")], { journal })]
      const near = yield* open(a.server, { revision: "2026-07-28" })
      const far = yield* open(b.server, { revision: "2026-07-28" })
      const { taskId = "" } = yield* near.result("tools/call", call("again"))
      yield* Scope.close(a.scope, Exit.void)
      yield* TestClock.setTime(3_600_000)
      assert.deepNestedInclude(yield* stateWhere(far, taskId, isStatus("completed")), { "result.content": text("b") })
    }).pipe(silent))
})
