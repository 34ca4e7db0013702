import { assert, describe, it } from "@effect/vitest"
import * as McpClient from "@parley/mcp/McpClient"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as everything from "../support/everything.ts"
import * as official from "./support/official.ts"
import { json, legacy, result, serve, text } from "./support/scripted.ts"

const options = (url: string, more: Partial<McpHttpClient.McpHttpClientOptions> = {}) => ({
  name: "test",
  version: "1",
  url,
  ...more
})

const connect = (url: string, more: Partial<McpHttpClient.McpHttpClientOptions> = {}) =>
  Effect.flatMap(NodeHttp.makeFetcher(), (fetcher) => McpHttpClient.make(fetcher, options(url, more)))

const echoed = (text: string) => [{ type: "text", text }]

describe("a client over HTTP", () => {
  it.live("speaks the modern era with a server that does, and repeats marked arguments in headers", () =>
    Effect.gen(function*() {
      const client = yield* connect((yield* official.v2Handler()).url)
      assert.strictEqual(client.protocolVersion, "2026-07-28")
      yield* client.listTools()
      const { content } = yield* client.callTool("echo", { text: "größer" })
      assert.deepStrictEqual(content as unknown, echoed("größer"))
    }))

  it.live("asks for the tools once more where the headers of a call do not fit", () =>
    Effect.gen(function*() {
      const client = yield* connect((yield* official.v2Handler()).url)
      const { content } = yield* client.callTool("echo", { text: "größer" })
      assert.deepStrictEqual(content as unknown, echoed("größer"))
    }))

  it.live("shakes hands with a server of the legacy era", () =>
    Effect.gen(function*() {
      const server = yield* official.v1Sessions()
      const client = yield* connect(server.url)
      assert.strictEqual(client.protocolVersion, "2025-11-25")
      assert.strictEqual(client.serverInfo?.name, "v1")
      assert.deepStrictEqual((yield* client.callTool("cut")).content as unknown, echoed("behind the cut"))
      assert.strictEqual(server.open().length, 1)
    }))

  it.live("makes a new session where the old one is over, and calls once more", () =>
    Effect.gen(function*() {
      const server = yield* official.v1Sessions()
      const client = yield* connect(server.url)
      server.restart()
      const calls = Array.from({ length: 10 }, () => client.callTool("echo", { text: "a" }))
      const results = yield* Effect.all(calls, { concurrency: "unbounded" })
      for (const { content } of results) assert.deepStrictEqual(content as unknown, echoed("a"))
      assert.strictEqual(server.open().length, 1)
    }))

  it.live("finds the older transport", () =>
    Effect.gen(function*() {
      const client = yield* connect(yield* everything.serve("sse", "/sse"))
      const { content } = yield* client.callTool("echo", { message: "hi" })
      assert.deepStrictEqual(content as unknown, echoed("Echo: hi"))
    }))

  it.live("says why a server lets it not in", () =>
    Effect.gen(function*() {
      const challenge = "Bearer resource_metadata=\"https://example.org/.well-known/oauth-protected-resource\""
      const headers = { "www-authenticate": challenge }
      const server = yield* serve(({ response }) => text(response, 401, "who?", headers))
      for (const revision of [undefined, "2025-11-25"] as const) {
        const failed = yield* Effect.flip(connect(server.url, { protocolVersion: revision }))
        assert.deepInclude(failed, { _tag: "HttpStatusError", status: 401, headers })
      }
    }))

  it.live("is a layer over Effect's HttpClient, and over a fetcher", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy({
        "tools/call": ({ response, seen }) => json(response, result(seen.message.id, { content: [] }))
      }))
      const program = Effect.flatMap(McpClient.McpClient, (client) => client.callTool("any"))
      const layers = [
        McpHttpClient.layer(options(server.url)).pipe(Layer.provide(FetchHttpClient.layer)),
        McpHttpClient.layerOver(NodeHttp.makeFetcher(), options(server.url))
      ]
      for (const layer of layers) {
        assert.deepStrictEqual((yield* Effect.provide(program, layer)).content, [])
      }
    }))
})
