/** Tasks over HTTP: the requests about them stand alone, and a client without a stream is asked while it waits. */
import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import { Effect } from "effect"
import { asks, node } from "./support.ts"

const web = Effect.gen(function*() {
  const { server } = yield* node([asks])
  const handle = yield* McpHttp.makeWebHandler(server)
  return (body: object, headers: Record<string, string> = {}) =>
    Effect.promise(() =>
      handle(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...headers
          },
          body: JSON.stringify({ jsonrpc: "2.0", ...body })
        })
      )
    )
})

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {
    elicitation: {},
    extensions: { "io.modelcontextprotocol/tasks": {} }
  }
}

const modern = (method: string, name: string, more: Record<string, string> = {}) => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  "mcp-name": name,
  ...more
})

const json = (response: Response) => Effect.promise(() => response.json())

/** The messages of a stream, one after the other. */
const messagesOf = (response: Response) => {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  const next: Effect.Effect<Record<string, unknown>> = Effect.suspend(() => {
    const end = rest.indexOf("\n\n")
    if (end < 0) {
      return Effect.flatMap(Effect.promise(() => reader.read()), ({ done, value }) => {
        if (done) return Effect.die(new Error("the stream has ended"))
        rest += value
        return next
      })
    }
    const data = rest.slice(0, end).split("\n").flatMap((line) => line.startsWith("data: ") ? [line.slice(6)] : [])
    rest = rest.slice(end + 2)
    return data.join("") === "" ? next : Effect.succeed(JSON.parse(data.join("")))
  })
  return next
}

describe("over HTTP", () => {
  it.live("each request about a task names it in a header", () =>
    Effect.gen(function*() {
      const post = yield* web
      const call = { id: 1, method: "tools/call", params: { name: "asks", _meta: meta } }
      const created = yield* json(yield* post(call, modern("tools/call", "asks")))
      const { taskId } = created.result
      const get = { id: 2, method: "tasks/get", params: { taskId, _meta: meta } }
      const found = yield* post(get, modern("tasks/get", taskId))
      assert.strictEqual(found.status, 200)
      assert.strictEqual((yield* json(found)).result.taskId, taskId)
      const other = yield* post(get, modern("tasks/get", "another"))
      assert.strictEqual(other.status, 400)
      assert.strictEqual((yield* json(other)).error.code, -32020)
      const unknown = yield* post(
        { ...get, params: { taskId: "nobody", _meta: meta } },
        modern("tasks/get", "nobody")
      )
      assert.strictEqual((yield* json(unknown)).error.code, -32602)
      const undeclared = { ...meta, "io.modelcontextprotocol/clientCapabilities": {} }
      const refused = yield* post({ ...get, params: { taskId, _meta: undeclared } }, modern("tasks/get", taskId))
      assert.strictEqual(refused.status, 400)
      assert.strictEqual((yield* json(refused)).error.code, -32021)
    }))

  it.live("a legacy client that reads no stream is asked while it waits for the result", () =>
    Effect.gen(function*() {
      const post = yield* web
      const capabilities = { elicitation: {} }
      const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "t", version: "1" } }
      const greeted = yield* post({ id: 1, method: "initialize", params })
      const session = {
        "mcp-session-id": greeted.headers.get("mcp-session-id") ?? "",
        "mcp-protocol-version": "2025-11-25"
      }
      yield* post({ method: "notifications/initialized" }, session)
      const created = yield* post({ id: 2, method: "tools/call", params: { name: "asks", task: {} } }, session)
      const { taskId } = (yield* json(created)).result.task
      let state = ""
      while (state !== "input_required") {
        // The handler runs in a turn of its own.
        yield* Effect.sleep("1 millis")
        state = (yield* json(yield* post({ id: 3, method: "tasks/get", params: { taskId } }, session))).result.status
      }
      const next = messagesOf(yield* post({ id: 4, method: "tasks/result", params: { taskId } }, session))
      const asked = yield* next
      assert.deepNestedInclude(asked, { method: "elicitation/create", "params.message": "Who?" })
      assert.deepNestedInclude(asked, { "params._meta": { "io.modelcontextprotocol/related-task": { taskId } } })
      yield* post({ id: asked["id"], result: { action: "accept", content: { name: "Ann" } } }, session)
      assert.deepNestedInclude(yield* next, { id: 4, "result.content": [{ type: "text", text: "Ann" }] })
    }))
})
