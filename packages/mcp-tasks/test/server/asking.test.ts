/** Questions of a server that are tasks of its client. */
import { assert, describe, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import type * as McpContext from "@parley/mcp/McpContext"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { type Json, type Line, spoken } from "../../../mcp/test/server/support/line.ts"
import { text } from "./support.ts"

const samples = (call: McpContext.McpContext) =>
  Effect.map(
    call.sample("poem", { messages: [{ role: "user", content: Content.text("A poem") }], maxTokens: 9 }, {
      via: McpTasks.asTask
    }),
    ({ model }) => model
  )

const elicits = (call: McpContext.McpContext) =>
  Effect.map(
    call.elicit("name", { message: "Who?", fields: { name: Schema.String } }, { via: McpTasks.asTask }),
    (answer) => answer._tag === "Accepted" ? answer.content.name : answer._tag
  )

const serverOf = (handler: (call: McpContext.McpContext) => Effect.Effect<string, unknown>) =>
  McpServer.make({
    name: "s",
    version: "1",
    askTimeout: "1 minute",
    features: [McpTool.make("t", {}, (_, call) => handler(call))]
  })

const tasks = {
  requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
  cancel: {}
}

const call: Json = { jsonrpc: "2.0", id: "call", method: "tools/call", params: { name: "t" } }

const task = (status: string): Json => ({
  taskId: "theirs",
  status,
  createdAt: "2025-11-25T10:00:00Z",
  lastUpdatedAt: "2025-11-25T10:00:00Z",
  ttl: 60_000,
  pollInterval: 500
})

const answer = (line: Line, id: string | number | undefined, result: Json) =>
  line.write({ jsonrpc: "2.0", id: id ?? "", result })

describe("a question that is a task of the client", () => {
  it.effect("is answered with a handle, looked at as often as the client wants, and its answer asked for", () =>
    Effect.gen(function*() {
      const { line } = yield* spoken(yield* serverOf(samples), "2025-11-25", { sampling: {}, tasks })
      yield* line.write(call)
      const asked = yield* line.next
      assert.deepNestedInclude(asked, { method: "sampling/createMessage", "params.task": { ttl: 60_000 } })
      yield* answer(line, asked.id, { task: task("working") })
      for (const status of ["working", "input_required", "completed"]) {
        yield* TestClock.adjust("500 millis")
        const looked = yield* line.next
        assert.deepInclude(looked, { method: "tasks/get", params: { taskId: "theirs" } })
        yield* answer(line, looked.id, task(status))
      }
      const wanted = yield* line.next
      assert.deepInclude(wanted, { method: "tasks/result", params: { taskId: "theirs" } })
      yield* answer(line, wanted.id, { role: "assistant", content: { type: "text", text: "…" }, model: "bard" })
      assert.deepInclude(yield* line.next, { id: "call", result: { content: text("bard") } })
    }))

  it.effect("is an ordinary one for a client that takes no such tasks, or answers at once", () =>
    Effect.gen(function*() {
      const accepted = { action: "accept", content: { name: "Ann" } }
      for (const capabilities of [{ elicitation: {} }, { elicitation: {}, tasks }]) {
        const { line } = yield* spoken(yield* serverOf(elicits), "2025-11-25", capabilities)
        yield* line.write(call)
        const asked = yield* line.next
        assert.strictEqual(asked.params?.["task"] !== undefined, "tasks" in capabilities)
        yield* answer(line, asked.id, accepted)
        assert.deepInclude(yield* line.next, { id: "call", result: { content: text("Ann") } })
      }
      const old = yield* spoken(yield* serverOf(elicits), "2025-06-18", { elicitation: {}, tasks })
      yield* old.line.write(call)
      assert.notProperty((yield* old.line.next).params, "task")
    }))

  it.effect("fails when its time is over, and is cancelled", () =>
    Effect.gen(function*() {
      const { line } = yield* spoken(yield* serverOf(elicits), "2025-11-25", { elicitation: {}, tasks })
      yield* line.write(call)
      yield* answer(line, (yield* line.next).id, { task: { ...task("working"), pollInterval: 50_000 } })
      yield* TestClock.adjust("61 seconds")
      const looked = yield* line.next
      assert.strictEqual(looked.method, "tasks/get")
      const rest = [yield* line.next, yield* line.next]
      assert.isTrue(rest.some(({ method }) => method === "notifications/cancelled" || method === "tasks/cancel"))
      yield* TestClock.adjust("1 second")
      const seen = [...rest]
      while (!seen.some(({ id }) => id === "call")) seen.push(yield* line.next)
      assert.deepNestedInclude(seen.find(({ id }) => id === "call"), { "result.isError": true })
      assert.isTrue(seen.some(({ method }) => method === "tasks/cancel"))
    }))
})
