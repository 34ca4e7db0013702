import { assert, describe, it } from "@effect/vitest"
import type { Responder } from "@parley/http/HttpEndpoint"
import { RequestRules } from "@parley/http/shared"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpServer from "@parley/mcp/McpServer"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as web from "../../http-server/support/web.ts"

const noStream: Responder = { start: () => Effect.void, write: () => Effect.void, toStream: () => undefined }

describe("complaint 3: sessions never expire, so that anybody fills the memory with initialize", () => {
  it.effect("there are 10,000 at most, and half an hour later there is none, without a setting", () =>
    Effect.gen(function*() {
      const server = yield* McpServer.make({ name: "s", version: "1", features: [] })
      const endpoint = yield* McpHttp.endpoint(server)
      const send = (message: web.Json, headers: web.Headers) =>
        Effect.flatMap(
          endpoint.answer(
            { method: "POST", url: "/mcp", address: "127.0.0.1", header: (name) => headers[name] },
            JSON.stringify(message),
            noStream
          ),
          (reply) => reply instanceof RequestRules.Refusal ? Effect.die(new Error(reply.text)) : Effect.succeed(reply)
        )
      const ping = (id: string | undefined) =>
        Effect.map(send(web.request("ping"), { "mcp-session-id": id }), ({ status }) => status)
      const ids: Array<string | undefined> = []
      for (let times = 0; times < 10_010; times++) {
        const { headers } = yield* send(web.handshake("2025-11-25"), {})
        ids.push(headers["mcp-session-id"])
      }
      assert.strictEqual(new Set(ids).size, 10_010)
      assert.deepStrictEqual(yield* Effect.forEach([ids[0], ids[9], ids[10], ids[10_009]], ping), [404, 404, 200, 200])
      yield* TestClock.adjust("30 minutes")
      assert.deepStrictEqual(yield* Effect.forEach([ids[10], ids[5_000], ids[10_009]], ping), [404, 404, 404])
    }))
})
