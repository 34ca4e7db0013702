import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpTool from "@parley/mcp/McpTool"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Overloaded } from "@parley/mesh/Mesh"
import { Effect, Exit, Logger, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { open } from "../../../../mcp/test/server/support/line.ts"
import { asks, isStatus, knowing, node, stateWhere, text } from "../support.ts"

const silent = Effect.provide(Logger.layer([]))

const lease = { lease: "10 seconds" } as const

const runs: Array<string> = []

const features = (name: string) => [
  McpTool.make("wait", { extensions: [McpTasks.optional()] }, () => Effect.as(Effect.sleep("1 hour"), "waited")),
  asks,
  McpTool.make(
    "again",
    { params: { n: Schema.Int }, extensions: [McpTasks.optional({ resumable: true })] },
    ({ n }, call) =>
      Effect.gen(function*() {
        const first = yield* call.memo(
          "first",
          Schema.String,
          Effect.sync(() => {
            runs.push(`once ${name}`)
            return name
          })
        )
        const who = yield* call.elicit("name", { message: "Who?", fields: { name: Schema.String } })
        runs.push(`run ${name}`)
        if (name === "a") yield* Effect.never
        const said = who._tag === "Accepted" ? who.content.name : who._tag
        return `${n} ${first} ${said} ${call.principal} ${call.client.info?.name}`
      })
  )
]

/** A journal, and nodes that share it: a crash takes a node away without a word. */
const cluster = Effect.gen(function*() {
  const journal = yield* MemoryNodes.makeJournal()
  const crashed = new Set<string>()
  const start = Effect.fnUntraced(function*(name: string) {
    const through = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | Overloaded> =>
      Effect.suspend((): Effect.Effect<A, E | Overloaded> =>
        crashed.has(name) ? new Overloaded({ key: name, reason: "crashed" }) : effect
      )
    const own = yield* node(features(name), {
      tasks: lease,
      journal: {
        ...journal,
        append: (key, said, epoch) => through(journal.append(key, said, epoch)),
        drop: (key, epoch) => through(journal.drop(key, epoch))
      }
    })
    const caller = { principal: "ann" }
    return { ...own, line: yield* open(own.server, { revision: "2026-07-28", caller }) }
  })
  return { start, crash: (name: string) => Effect.sync(() => void crashed.add(name)) }
})

const call = (name: string, args = {}) => knowing({ name, arguments: args }, { elicitation: {} })

describe("nodes that share a journal", () => {
  it.effect("answer for the tasks of each other, take answers for them, and cancel them", () =>
    Effect.gen(function*() {
      const { start } = yield* cluster
      const [a, b] = [yield* start("a"), yield* start("b")]
      const { taskId = "" } = yield* a.line.result("tools/call", call("asks"))
      yield* stateWhere(b.line, taskId, isStatus("input_required"))
      const inputResponses = { name: { action: "accept", content: { name: "Ann" } } }
      yield* b.line.result("tasks/update", knowing({ taskId, inputResponses }))
      assert.deepNestedInclude(yield* stateWhere(b.line, taskId, isStatus("completed")), {
        "result.content": text("Ann")
      })
      const other = (yield* a.line.result("tools/call", call("wait")))["taskId"] ?? ""
      yield* b.line.result("tasks/cancel", knowing({ taskId: other }))
      yield* stateWhere(b.line, other, isStatus("cancelled"))
      assert.deepNestedInclude(yield* a.line.result("tasks/get", knowing({ taskId: other })), { status: "cancelled" })
    }))

  it.effect("say that a task has failed whose process ended without a word, and not before they must think so", () =>
    Effect.gen(function*() {
      const { crash, start } = yield* cluster
      const [a, b] = [yield* start("a"), yield* start("b")]
      const { taskId = "" } = yield* a.line.result("tools/call", call("wait"))
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* b.line.result("tasks/get", knowing({ taskId })), { status: "working" })
      yield* crash("a")
      yield* TestClock.adjust("11 seconds")
      const state = yield* b.line.result("tasks/get", knowing({ taskId }))
      assert.deepInclude(state, { status: "failed" })
      assert.deepNestedInclude(state, { "error.code": -31_002 })
      assert.deepStrictEqual(yield* b.line.result("tasks/get", knowing({ taskId })), state)
    }).pipe(silent))

  it.effect("run a task again that allows it, with the answers and the results of `memo` that were there", () =>
    Effect.gen(function*() {
      runs.length = 0
      const { crash, start } = yield* cluster
      const [a, b] = [yield* start("a"), yield* start("b")]
      const { taskId = "" } = yield* a.line.result("tools/call", call("again", { n: 7 }))
      yield* stateWhere(a.line, taskId, isStatus("input_required"))
      const inputResponses = { name: { action: "accept", content: { name: "Ann" } } }
      yield* a.line.result("tasks/update", knowing({ taskId, inputResponses }))
      yield* stateWhere(a.line, taskId, isStatus("working"))
      yield* TestClock.adjust("1 second")
      yield* crash("a")
      yield* TestClock.adjust("11 seconds")
      const ended = yield* stateWhere(b.line, taskId, isStatus("completed"))
      assert.deepNestedInclude(ended, { "result.content": text("7 a Ann ann test") })
      assert.deepStrictEqual(runs, ["once a", "run a", "run b"])
    }).pipe(silent))

  it.effect("go on at once with the tasks of a node that is stopped in order", () =>
    Effect.gen(function*() {
      const { start } = yield* cluster
      const [a, b] = [yield* start("a"), yield* start("b")]
      const lost = (yield* a.line.result("tools/call", call("wait")))["taskId"] ?? ""
      const again = (yield* a.line.result("tools/call", call("again", { n: 1 })))["taskId"] ?? ""
      yield* stateWhere(a.line, again, isStatus("input_required"))
      yield* Scope.close(a.scope, Exit.void)
      assert.deepInclude(yield* b.line.result("tasks/get", knowing({ taskId: lost })), { status: "failed" })
      yield* b.line.result("tasks/get", knowing({ taskId: again }))
      const asked = yield* stateWhere(b.line, again, isStatus("input_required"))
      const [key = ""] = Object.keys(asked["inputRequests"] ?? {})
      const inputResponses = { [key]: { action: "accept", content: { name: "Eve" } } }
      yield* b.line.result("tasks/update", knowing({ taskId: again, inputResponses }))
      assert.deepNestedInclude(yield* stateWhere(b.line, again, isStatus("completed")), {
        "result.content": text("1 a Eve ann test")
      })
    }).pipe(silent))

  it.effect("take a task over once, and the process that was thought dead writes nothing more", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      let isStill = false
      const own = yield* node(features("a"), {
        tasks: lease,
        journal: {
          ...journal,
          // It is alive, and its lease is not renewed.
          append: (key, said, epoch) =>
            isStill && /\/nodes\//.test(key) ? Effect.succeed(0) : journal.append(key, said, epoch)
        }
      })
      const slow = yield* open(own.server, { revision: "2026-07-28" })
      const other = yield* node(features("b"), { tasks: lease, journal })
      const b = yield* open(other.server, { revision: "2026-07-28" })
      const { taskId = "" } = yield* slow.result("tools/call", call("wait"))
      isStill = true
      yield* TestClock.adjust("20 seconds")
      assert.deepInclude(yield* b.result("tasks/get", knowing({ taskId })), { status: "failed" })
      yield* TestClock.adjust("1 hour")
      yield* slow.ask("tasks/cancel", knowing({ taskId }))
      assert.strictEqual((yield* journal.read(`mcp/tasks/tasks/${taskId}`, 0)).length, 2)
    }).pipe(silent))
})
