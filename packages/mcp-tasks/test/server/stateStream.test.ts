import { assert, describe, it } from "@effect/vitest"
import * as MemoryNodes from "@parley/mesh/MemoryNodes"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Json, type Line, modern, open } from "../../../mcp/test/server/support/line.ts"
import { asks, knowing, node } from "./support.ts"

const listen = (line: Line, taskIds: ReadonlyArray<unknown>) =>
  line.write({
    jsonrpc: "2.0",
    id: "listen",
    method: "subscriptions/listen",
    params: knowing({ notifications: { taskIds: taskIds.map(String) } })
  })

/** The states of tasks that a stream tells, until one that a test waits for. */
const toldUntil = (line: Line, status: string): Effect.Effect<ReadonlyArray<Json>> =>
  Effect.gen(function*() {
    const states: Array<Json> = []
    for (;;) {
      const message = line.aside.shift() ?? (yield* line.next)
      if (message.method !== "notifications/tasks") continue
      const params = message.params ?? {}
      assert.deepInclude(params["_meta"], { "io.modelcontextprotocol/subscriptionId": "listen" })
      states.push(params)
      if (params["status"] === status) return states
    }
  })

describe("a stream of changes", () => {
  it.effect("tells the states of the tasks that it names, with all that `tasks/get` has, also of another node", () =>
    Effect.gen(function*() {
      const journal = yield* MemoryNodes.makeJournal()
      const [a, b] = [yield* node([asks], { journal }), yield* node([asks], { journal })]
      const [near, far] = [yield* open(a.server, { revision: "2026-07-28" }), yield* open(b.server)]
      const created = yield* near.result("tools/call", knowing({ name: "asks" }, { elicitation: {} }))
      const { taskId = "" } = created
      for (const line of [near, far]) {
        yield* listen(line, [taskId, "another", taskId])
        const acknowledged = yield* line.next
        assert.deepNestedInclude(acknowledged, {
          method: "notifications/subscriptions/acknowledged",
          "params.notifications": { taskIds: [taskId] }
        })
        const states = yield* toldUntil(line, "input_required")
        assert.deepNestedInclude(states.at(-1), { "inputRequests.name.method": "elicitation/create" })
      }
      const inputResponses = { name: { action: "accept", content: { name: "Ann" } } }
      yield* far.result("tasks/update", knowing({ taskId, inputResponses }))
      for (const line of [near, far]) {
        yield* TestClock.adjust("1 second")
        const ended = (yield* toldUntil(line, "completed")).at(-1)
        assert.deepNestedInclude(ended, { "result.content": [{ type: "text", text: "Ann" }] })
      }
    }))

  it.effect("is refused to who asks for tasks and does not know them", () =>
    Effect.gen(function*() {
      const { server } = yield* node([asks])
      const line = yield* open(server, { revision: "2026-07-28" })
      const refused = yield* line.refusal("subscriptions/listen", modern({ notifications: { taskIds: ["x"] } }))
      assert.strictEqual(refused.code, -32021)
    }))
})
