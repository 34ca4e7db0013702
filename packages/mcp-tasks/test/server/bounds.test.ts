import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpTool from "@parley/mcp/McpTool"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Overloaded } from "@parley/mesh/Mesh"
import { Deferred, Effect, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { greet, open } from "../../../mcp/test/server/support/line.ts"
import { isStatus, knowing, node, stateWhere } from "./support.ts"

const wait = McpTool.make(
  "wait",
  { params: { seconds: Schema.Finite }, extensions: [McpTasks.optional()] },
  ({ seconds }) => Effect.as(Effect.sleep(seconds * 1_000), "waited")
)

const large = McpTool.make("large", { extensions: [McpTasks.optional()] }, () => Effect.succeed("x".repeat(1_000)))

const call = (seconds: number) => knowing({ name: "wait", arguments: { seconds } })

const lineOf = Effect.fnUntraced(function*(tasks: McpTasks.McpTasksOptions, principal?: string) {
  const { server } = yield* node([wait, large], { tasks })
  const of = (principal: string | undefined) =>
    open(server, { revision: "2026-07-28", caller: principal === undefined ? {} : { principal } })
  return { line: yield* of(principal), of }
})

describe("the tasks of a server are bounded", () => {
  it.effect("by how many run, and by how many of one principal do", () =>
    Effect.gen(function*() {
      const { line: ann, of } = yield* lineOf({ running: 3, runningPerPrincipal: 2 }, "ann")
      const bob = yield* of("bob")
      for (let n = 0; n < 2; n++) yield* ann.result("tools/call", call(5))
      assert.strictEqual((yield* ann.refusal("tools/call", call(5))).code, -31_000)
      yield* bob.result("tools/call", call(5))
      assert.strictEqual((yield* bob.refusal("tools/call", call(5))).code, -31_000)
      yield* TestClock.adjust("6 seconds")
      yield* ann.result("tools/call", call(5))
    }))

  it.effect("by how many are kept, and by how many of one principal are, until their time is over", () =>
    Effect.gen(function*() {
      const { line: ann, of } = yield* lineOf({ kept: 3, keptPerPrincipal: 2, ttl: "1 minute" }, "ann")
      const bob = yield* of("bob")
      for (let n = 0; n < 2; n++) yield* ann.result("tools/call", call(0))
      assert.strictEqual((yield* ann.refusal("tools/call", call(0))).code, -31_000)
      yield* bob.result("tools/call", call(0))
      assert.strictEqual((yield* bob.refusal("tools/call", call(0))).code, -31_000)
      yield* TestClock.adjust("62 seconds")
      yield* ann.result("tools/call", call(0))
    }))

  it.effect("by the characters of a result", () =>
    Effect.gen(function*() {
      const { line } = yield* lineOf({ resultSize: 500 })
      const { taskId } = yield* line.result("tools/call", knowing({ name: "large" }))
      const state = yield* stateWhere(line, taskId, isStatus("failed"))
      assert.match(String(state["statusMessage"]), /1,?0\d\d characters.*500/)
    }))

  it.effect("by what can be written: another result is a defect, and the handler runs once", () =>
    Effect.gen(function*() {
      let runs = 0
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      const odd = McpTool.make(
        "odd",
        { extensions: [McpTasks.optional({ resumable: true })] },
        () =>
          Effect.sync(() => {
            runs++
            // What a caller without types may give.
            return { type: "text" as const, text: "", _meta: cycle as Schema.JsonObject }
          })
      )
      const { server } = yield* node([odd])
      const line = yield* open(server, { revision: "2026-07-28" })
      const { taskId } = yield* line.result("tools/call", knowing({ name: "odd" }))
      const { error } = yield* stateWhere(line, taskId, isStatus("failed"))
      assert.deepStrictEqual<unknown>(error, { code: -32_603, message: "Internal error" })
      assert.strictEqual(runs, 1)
    }).pipe(Effect.provide(Logger.layer([]))))

  it("by numbers and by times that have an end", () => {
    const make = (options: McpTasks.McpTasksOptions) => Effect.runSync(Effect.scoped(McpTasks.make(options)))
    for (const time of ["ttl", "maxTtl", "lease"]) {
      assert.throws(() => make({ [time]: Number.POSITIVE_INFINITY }), RangeError)
    }
    for (const bound of ["running", "runningPerPrincipal", "kept", "keptPerPrincipal", "resultSize"]) {
      assert.throws(() => make({ [bound]: Number.NaN }), RangeError, bound)
    }
  })

  it.effect("by the characters of a call that may run again, with which its state is kept", () =>
    Effect.gen(function*() {
      const again = McpTool.make(
        "again",
        { params: { text: Schema.String }, extensions: [McpTasks.optional({ resumable: true })] },
        ({ text }) => Effect.succeed(text)
      )
      const { server } = yield* node([again], { tasks: { resultSize: 1_000 } })
      const line = yield* open(server, { revision: "2026-07-28" })
      const params = (length: number) => knowing({ name: "again", arguments: { text: "x".repeat(length) } })
      yield* line.result("tools/call", params(10))
      assert.strictEqual((yield* line.refusal("tools/call", params(1_000))).code, -31_000)
    }))

  it.effect("by time: what a client wants is bounded, and what is over is unknown and runs no more", () =>
    Effect.gen(function*() {
      const { server } = yield* node([wait], { tasks: { maxTtl: "1 minute" } })
      const line = yield* open(server, { revision: "2025-11-25" })
      yield* greet(line, "2025-11-25")
      const created = yield* line.result("tools/call", {
        name: "wait",
        arguments: { seconds: 3_600 },
        task: { ttl: 9_000_000 }
      })
      assert.deepNestedInclude(created, { "task.ttl": 60_000 })
      const { taskId } = created["task"] as { readonly taskId: string }
      yield* TestClock.adjust("59 seconds")
      assert.deepInclude(yield* line.result("tasks/get", { taskId }), { status: "working" })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* line.refusal("tasks/get", { taskId })).code, -32602)
    }))

  it.effect("and a handler that reports without end fills nothing", () =>
    Effect.gen(function*() {
      const busy = McpTool.make("busy", { extensions: [McpTasks.optional()] }, (_, call) =>
        Effect.as(
          Effect.forEach(Array.from({ length: 10_000 }, (_, n) => n + 1), (n) => call.progress({ progress: n }), {
            discard: true
          }),
          "done"
        ))
      const memory = yield* MemoryNodes.makeJournal()
      const gate = yield* Deferred.make<void>()
      let written = 0
      const journal = {
        ...memory,
        append: (key: string, said: string, epoch: number) => {
          const append = memory.append(key, said, epoch)
          return ++written > 4 ? Effect.andThen(Deferred.await(gate), append) : append
        }
      }
      const { server } = yield* node([busy], { journal })
      const line = yield* open(server, { revision: "2026-07-28" })
      const { taskId } = yield* line.result("tools/call", knowing({ name: "busy" }))
      yield* Deferred.succeed(gate, undefined)
      yield* stateWhere(line, taskId, isStatus("completed"))
      assert.isBelow(written, 10)
    }))
})

describe("a journal that fails", () => {
  it.effect("lets no task be made, and no state be seen that it does not hold", () =>
    Effect.gen(function*() {
      const memory = yield* MemoryNodes.makeJournal()
      let isDown = false
      const journal = {
        ...memory,
        append: (key: string, said: string, epoch: number) =>
          Effect.suspend(() => isDown ? new Overloaded({ key, reason: "down" }) : memory.append(key, said, epoch))
      }
      const { server } = yield* node([wait], { journal })
      const line = yield* open(server, { revision: "2026-07-28" })
      const { taskId = "" } = yield* line.result("tools/call", call(1))
      isDown = true
      assert.strictEqual((yield* line.refusal("tools/call", call(1))).code, -31_000)
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* line.result("tasks/get", knowing({ taskId })), { status: "working" })
      isDown = false
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* line.result("tasks/get", knowing({ taskId })), { status: "completed" })
    }).pipe(Effect.provide(Logger.layer([]))))
})
