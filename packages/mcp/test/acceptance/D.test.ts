/** A client for MCP over HTTP, in an application that starts servers. */
import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import type { Revision } from "@parley/mcp/wire/Revision"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { execFile } from "node:child_process"
import type * as http from "node:http"
import { fileURLToPath } from "node:url"
import { json, legacy, result, type Script, serve, signal, text } from "../http-client/support/scripted.ts"

const connect = (url: string, revision: Revision = "2025-11-25") =>
  Effect.flatMap(
    NodeHttp.makeFetcher(),
    (fetcher) => McpHttpClient.make(fetcher, { name: "test", version: "1", url, protocolVersion: revision })
  )

/** Never answers, and tells when the request is aborted. */
const silent = () => {
  const came = signal<void>()
  const aborted = signal<void>()
  const script: Script = ({ response }) => {
    response.on("close", () => aborted.set())
    came.set()
  }
  return { script, came: came.wait, aborted: aborted.wait }
}

const named = (name: string, scripts: Readonly<Record<string, Script>>): Script => (answering) => {
  const called = answering.seen.message.params?.["name"]
  const own = typeof called === "string" ? scripts[called] : undefined
  if (own === undefined) throw new Error(`${name} of ${String(called)} is not in the script`)
  own(answering)
}

const answers: Script = ({ response, seen }) => json(response, result(seen.message.id, { content: [] }))

/** Runs a program of ours until it ends by itself. */
const ran = (program: string, url: string) =>
  Effect.callback<{ readonly out: string; readonly killed: boolean }>((resume) => {
    const child = execFile(process.execPath, [program, url], { timeout: 60_000 }, (error, out) => {
      resume(Effect.succeed({ out, killed: error?.killed === true }))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("a client for MCP over HTTP", () => {
  it.live("D1: initialize is made in three steps", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy())
      yield* connect(server.url)
      const posts = server.seen.filter(({ method }) => method === "POST").map(({ message }) => message.method)
      assert.deepStrictEqual(posts, ["initialize", "notifications/initialized"])
      assert.isUndefined(server.seen[0]?.headers["mcp-session-id"])
      assert.strictEqual(server.seen[1]?.headers["mcp-session-id"], "s1")
    }))

  const waits = [["initialize", 5_000], ["tools/list", 30_000], ["tools/call", 30_000]] as const
  for (const [method, milliseconds] of waits) {
    it.effect(`D1: ${method} may take ${milliseconds / 1_000} seconds by default, and then its request is aborted`, () =>
      Effect.gen(function*() {
        const { aborted, came, script } = silent()
        const server = yield* serve(legacy({ [method]: script }))
        const use = Effect.gen(function*() {
          const client = yield* connect(server.url)
          return method === "tools/list" ? yield* client.listTools() : yield* client.callTool("slow")
        })
        const used = yield* Effect.forkChild(Effect.flip(Effect.scoped(use)))
        yield* came
        yield* TestClock.adjust(milliseconds - 10)
        assert.isUndefined(used.pollUnsafe())
        yield* TestClock.adjust(20)
        assert.deepInclude(yield* Fiber.join(used), { _tag: "RequestTimeout", method, milliseconds })
        yield* aborted
      }))
  }

  it.live("D1: a timeout ends only that call", () =>
    Effect.gen(function*() {
      const slow = silent()
      let held: http.ServerResponse | undefined
      let id: number | undefined
      const holds: Script = ({ response, seen }) => {
        held = response
        id = seen.message.id
      }
      const calls = named("tools/call", { slow: slow.script, held: holds, quick: answers })
      const server = yield* serve(legacy({ "tools/call": calls }))
      const client = yield* connect(server.url)
      const other = yield* Effect.forkChild(client.callTool("held"))
      yield* server.until(({ message }) => message.method === "tools/call")
      const failed = yield* Effect.flip(client.callTool("slow", {}, { timeout: "50 millis" }))
      assert.strictEqual(failed._tag, "RequestTimeout")
      yield* slow.aborted
      assert.deepStrictEqual((yield* client.callTool("quick")).content, [])
      if (held !== undefined) json(held, result(id, { content: [] }))
      assert.deepStrictEqual((yield* Fiber.join(other)).content, [])
    }))

  it.live("D1: no timer is left behind: a program ends when its calls have ended", () =>
    Effect.gen(function*() {
      const calls = named("tools/call", { slow: silent().script, quick: answers })
      const lists: Script = ({ response, seen }) => json(response, result(seen.message.id, { tools: [] }))
      const server = yield* serve(legacy({ "tools/call": calls, "tools/list": lists }))
      const program = fileURLToPath(new URL("fixtures/fleeting.ts", import.meta.url))
      assert.deepStrictEqual(yield* ran(program, server.url), { out: "RequestTimeout", killed: false })
    }))

  it.live("D2: POST with Content-Type: application/json and the MCP-Protocol-Version header; notifications carry no id", () =>
    Effect.gen(function*() {
      for (const revision of ["2025-06-18", "2026-07-28"] as const) {
        const server = yield* serve(legacy({ "tools/call": answers }))
        const client = yield* connect(server.url, revision)
        yield* client.callTool("any")
        const posts = server.seen.filter(({ method }) => method === "POST")
        for (const { headers, message } of posts) {
          assert.strictEqual(headers["content-type"], "application/json")
          const isFirst = message.method === "initialize"
          assert.strictEqual(headers["mcp-protocol-version"], isFirst ? undefined : revision)
          const isNotification = message.method?.startsWith("notifications/") === true
          assert.strictEqual(Object.hasOwn(message, "id"), !isNotification)
        }
        assert.strictEqual(posts.at(-1)?.message.method, "tools/call")
      }
    }))

  it.live("D3: HTTP status errors, JSON-RPC error objects and tool results with isError are three typed failures", () =>
    Effect.gen(function*() {
      const failing = { content: [{ type: "text", text: "no disk" }], isError: true }
      const refusal = { code: -32602, message: "no such tool", data: { name: "refused" } }
      const calls = named("tools/call", {
        status: ({ response }) => text(response, 503, "later", { "retry-after": "7" }),
        refused: ({ response, seen }) => json(response, { jsonrpc: "2.0", id: seen.message.id, error: refusal }),
        failing: ({ response, seen }) => json(response, result(seen.message.id, failing))
      })
      const server = yield* serve(legacy({ "tools/call": calls }))
      const client = yield* connect(server.url)
      const failure = (name: string) => Effect.flip(client.callTool(name))
      assert.deepInclude(yield* failure("status"), { _tag: "HttpStatusError", status: 503, excerpt: "later" })
      assert.deepInclude(yield* failure("refused"), {
        _tag: "ProtocolError",
        method: "tools/call",
        code: -32602,
        text: "no such tool",
        data: { name: "refused" }
      })
      const said = yield* failure("failing")
      assert.strictEqual(said._tag, "ToolError")
      assert.strictEqual(said.message, "the tool failing failed: no disk")
    }))

  it.effect("D4: ids are unique under any concurrency, while the clock stands still", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({ "tools/call": answers }))
      const client = yield* connect(server.url)
      yield* Effect.all(Array.from({ length: 300 }, () => client.callTool("any")), { concurrency: "unbounded" })
      const ids = server.seen.flatMap(({ message }) => message.id === undefined ? [] : [message.id])
      assert.lengthOf(ids, 301)
      assert.strictEqual(new Set(ids).size, 301)
    }))
})
