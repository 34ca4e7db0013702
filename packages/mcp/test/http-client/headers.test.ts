import { assert, describe, it } from "@effect/vitest"
import * as CallClock from "@parley/mcp/client/CallClock"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import * as Router from "@parley/peer/Router"
import * as Dialect from "@parley/protocol/Dialect"
import { Effect } from "effect"
import { json, legacy, result, serve, text } from "./support/scripted.ts"
import * as transports from "./support/transports.ts"

describe("headers of the user's own", () => {
  it.live("are asked for before each request, and cannot replace those of the protocol", () =>
    Effect.gen(function*() {
      let asked = 0
      const headers = Effect.sync(() => ({ Authorization: `Bearer ${++asked}`, "Content-Type": "text/html" }))
      const server = yield* serve(legacy())
      const transport = yield* transports.open(server.url, { headers })
      yield* transport.request("ping")
      yield* transport.request("ping")
      assert.deepStrictEqual(server.seen.map(({ headers }) => headers.authorization), ["Bearer 1", "Bearer 2"])
      assert.strictEqual(server.seen[0]?.headers["content-type"], "application/json")
    }))

  it.live("a user and password of the URL become one", () =>
    Effect.gen(function*() {
      const server = yield* serve(legacy())
      const transport = yield* transports.open(server.url.replace("//", "//us%65r:p%40ss@"))
      yield* transport.request("ping")
      assert.strictEqual(server.seen[0]?.headers.authorization, `Basic ${btoa("user:p@ss")}`)
    }))

  it.live("follow a redirect at the same origin, with the method and the text", () =>
    Effect.gen(function*() {
      const server = yield* serve(({ response, seen }) =>
        seen.path === "/mcp"
          ? text(response, 307, "", { location: "/mcp/" })
          : json(response, result(seen.message.id, seen.path))
      )
      const transport = yield* transports.open(server.url, { headers: { authorization: "secret" } })
      assert.strictEqual(yield* transport.request("ping"), "/mcp/")
      assert.strictEqual(server.seen[1]?.headers.authorization, "secret")
    }))

  it.live("go to no other origin", () =>
    Effect.gen(function*() {
      const other = yield* serve(legacy())
      const server = yield* serve(({ response }) => text(response, 308, "", { location: other.url }))
      const transport = yield* transports.open(server.url, { headers: { authorization: "secret" } })
      assert.deepInclude(yield* Effect.flip(transport.request("ping")), { _tag: "HttpStatusError", status: 308 })
      assert.deepStrictEqual(other.seen, [])
    }))

  it.live("a circle of redirects ends", () =>
    Effect.gen(function*() {
      const server = yield* serve(({ response }) => text(response, 307, "", { location: "/mcp" }))
      const transport = yield* transports.open(server.url)
      assert.deepInclude(yield* Effect.flip(transport.request("ping")), { _tag: "HttpStatusError", status: 307 })
      assert.strictEqual(server.seen.length, 6)
    }))

  it.effect("a URL that is none is Disconnected when the link opens", () =>
    Effect.gen(function*() {
      const fetcher = yield* NodeHttp.makeFetcher()
      const router = yield* Router.make()
      const clock = yield* CallClock.make
      for (const url of ["nowhere", "http://%zz@127.0.0.1/"]) {
        const opened = McpHttpClient.open(fetcher, { url })({
          router,
          dialect: Dialect.jsonRpc,
          limits: undefined,
          timeout: 1_000,
          clock,
          onSessionExpired: () => {}
        })
        const failed = yield* Effect.flip(opened)
        assert.deepInclude(failed, { _tag: "Disconnected", sent: false })
        assert.strictEqual(failed.reason._tag, "Open")
      }
    }))
})
