import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import { json, legacy, result, type Script, type Scripted, serve } from "../../http-client/support/scripted.ts"

const connect = (url: string) =>
  Effect.flatMap(
    NodeHttp.makeFetcher(),
    (fetcher) => McpHttpClient.make(fetcher, { name: "test", version: "1", url, protocolVersion: "2025-11-25" })
  )

const lost = { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } }

/** A server that knows its newest session alone, until it has restarted; each call is answered with its session. */
const restarting = () => {
  const state = { sessions: 0, forgets: false, mayLive: true }
  const script: Script = (answering) => {
    const { response, seen } = answering
    if (seen.message.method === "initialize") {
      state.sessions++
      state.forgets = false
      return legacy({}, `s${state.sessions}`)(answering)
    }
    const isKnown = seen.headers["mcp-session-id"] === `s${state.sessions}`
    if (state.forgets || !isKnown) return json(response, lost, {}, 404)
    if (seen.message.method !== "tools/call") return legacy()(answering)
    if (!state.mayLive) return json(response, lost, {}, 404)
    const session = String(seen.headers["mcp-session-id"])
    json(response, result(seen.message.id, { content: [{ type: "text", text: session }] }))
  }
  return { script, state }
}

const counted = ({ seen }: Scripted, method: string) => seen.filter(({ message }) => message.method === method).length

describe("complaint 4: the client does not initialize again on 404", () => {
  it.live("it does, however many calls find out, and makes each of them once more", () =>
    Effect.gen(function*() {
      const { script, state } = restarting()
      const server = yield* serve(script)
      const client = yield* connect(server.url)
      yield* client.callTool("any")
      state.forgets = true
      const calls = Array.from({ length: 20 }, () => client.callTool("any"))
      const results = yield* Effect.all(calls, { concurrency: "unbounded" })
      for (const { content } of results) assert.deepInclude(content[0], { text: "s2" })
      assert.strictEqual(counted(server, "initialize"), 2)
      assert.strictEqual(counted(server, "notifications/initialized"), 2)
      // The first, then at most two of each.
      assert.isAtMost(counted(server, "tools/call"), 41)
      yield* client.callTool("any")
      assert.strictEqual(counted(server, "initialize"), 2)
    }))

  it.live("a session that is lost again is told as what it is, after one more call", () =>
    Effect.gen(function*() {
      const { script, state } = restarting()
      const server = yield* serve(script)
      const client = yield* connect(server.url)
      state.forgets = true
      state.mayLive = false
      const failed = yield* Effect.flip(client.callTool("any"))
      assert.deepInclude(failed, { _tag: "SessionExpired", method: "tools/call" })
      assert.strictEqual(counted(server, "tools/call"), 2)
      assert.strictEqual(counted(server, "initialize"), 2)
    }))
})
