/** Sessions whose tools wait for an answer of their client: for as long as it is there, and no longer. */
import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Effect, Fiber, Queue, Schema } from "effect"
import { TestClock } from "effect/testing"
import { sampleFeatures } from "./support/sample.ts"
import * as web from "./support/web.ts"

const asking = Effect.fnUntraced(function*(client: web.Client) {
  const visitor = yield* web.visit(client, "2025-11-25", { elicitation: {} })
  const answer = yield* visitor.post(web.call("name"))
  const question = yield* answer.read.message
  assert.strictEqual(question["method"], "elicitation/create")
  return { visitor, answer, id: question["id"] }
})

describe("a session whose tool asks its client", () => {
  it.effect("is over in time when the client has gone", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ sessions: { idle: "3 minutes" } })
      const { answer, visitor } = yield* asking(client)
      answer.abort()
      yield* Effect.yieldNow
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual((yield* visitor.post(web.request("ping"))).status, 404)
    }))

  it.effect("keeps a call that works, however many questions others ask", () =>
    Effect.gen(function*() {
      const { features, interrupted, waiting } = yield* sampleFeatures
      const two = McpTool.make("two", {}, (_, call) => {
        const asked = (key: string) => call.elicit(key, { message: "Who?", fields: { name: Schema.String } })
        return Effect.as(Effect.all([asked("one"), asked("two")], { concurrency: "unbounded" }), "both")
      })
      const server = yield* McpServer.make({ name: "sample", version: "1", features: [...features, two] })
      const client = yield* web.open({ sessions: { idle: "3 minutes" } }, server)
      const visitor = yield* web.visit(client, "2025-11-25", { elicitation: {} })
      const asking = yield* visitor.post(web.call("two"))
      yield* asking.read.message
      yield* asking.read.message
      const working = yield* visitor.post(web.call("wait", { name: "a" }), { accept: "application/json" }).pipe(
        Effect.forkChild({ startImmediately: true })
      )
      yield* Queue.take(waiting)
      asking.abort()
      yield* Fiber.interrupt(working)
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual((yield* visitor.post(web.request("ping"))).status, 200)
      assert.strictEqual(yield* Queue.size(interrupted), 0)
    }))

  it.effect("goes on for as long as the client reads", () =>
    Effect.gen(function*() {
      const client = yield* web.open({ sessions: { idle: "3 minutes" } })
      const { answer, id, visitor } = yield* asking(client)
      yield* TestClock.adjust("9 minutes")
      yield* visitor.post({ jsonrpc: "2.0", id: id ?? null, result: { action: "accept", content: { name: "Ada" } } })
      assert.strictEqual(web.textOf(yield* answer.read.message), "Ada")
    }))
})

describe("a client that cannot be asked", () => {
  const why = "the client cannot be asked by elicitation/create: " +
    "nothing can be sent to it before the answer; over HTTP its request has to accept text/event-stream"

  it.effect("because it takes no events is told so", () =>
    Effect.gen(function*() {
      const visitor = yield* web.visit(yield* web.open(), "2025-11-25", { elicitation: {} })
      const answer = yield* visitor.post(web.call("name"), { accept: "application/json" })
      const { result } = yield* answer.json
      assert.deepStrictEqual(result, { content: [{ type: "text", text: why }], isError: true })
    }))
})
