/** Spans beside those of an HTTP server that has its own. */
import { assert, describe, it } from "@effect/vitest"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import { places } from "../http-server/support/places.ts"
import { served } from "./support/served.ts"
import { parentOf, traced } from "./support/spans.ts"

const router = places.find(({ name }) => name === "HttpRouter")

const address = Effect.flatMap(served, (server) => router?.serve(server) ?? Effect.die("no such place"))

describe("over an HTTP server that has spans", () => {
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    it.live(`a call of ${revision} is below its client's span, and linked to that of its POST`, () =>
      traced((spans) =>
        Effect.gen(function*() {
          const client = yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), {
            name: "c",
            version: "1",
            protocolVersion: revision,
            url: yield* address
          })
          yield* client.callTool("add")
          const far = spans.one("server", "tools/call add")
          assert.strictEqual(parentOf(far), spans.one("client", "tools/call add").spanId)
          assert.deepStrictEqual(far.links.map(({ span }) => span._tag === "Span" && span.name), ["POST"])
        })
      ))

    it.live(`a call of ${revision} whose message names no span is below that of its POST, and so of its header`, () =>
      traced((spans) =>
        Effect.gen(function*() {
          const traceId = "a".repeat(32)
          const meta = {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {}
          }
          const url = yield* address
          const headers = {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": revision,
            traceparent: `00-${traceId}-${"b".repeat(16)}-01`
          }
          const post = (method: string, params: object, more: object) =>
            Effect.promise(async () => {
              const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
              const response = await fetch(url, { method: "POST", headers: { ...headers, ...more }, body })
              await response.text()
              return response
            })
          if (revision === "2026-07-28") {
            yield* post("tools/call", { name: "add", _meta: meta }, { "mcp-method": "tools/call", "mcp-name": "add" })
          } else {
            const clientInfo = { name: "c", version: "1" }
            const begun = yield* post("initialize", { protocolVersion: revision, capabilities: {}, clientInfo }, {})
            yield* post("tools/call", { name: "add" }, { "mcp-session-id": begun.headers.get("mcp-session-id") })
          }
          const far = spans.one("server", "tools/call add")
          const posts = spans.all.filter(({ kind, name }) => kind === "server" && name === "POST")
          assert.strictEqual(far.traceId, traceId)
          assert.strictEqual(parentOf(far), posts.at(-1)?.spanId)
          assert.deepStrictEqual(far.links, [])
        })
      ))
  }
})
