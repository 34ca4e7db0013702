import { assert, describe, it } from "@effect/vitest"
import { SdkHttpError } from "@modelcontextprotocol/client"
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type * as Quota from "@parley/mcp/http/Quota"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect, Logger, type Scope } from "effect"
import type { Connected } from "./support/foreign.ts"
import * as officialV1 from "./support/officialV1.ts"
import * as officialV2 from "./support/officialV2.ts"
import * as places from "./support/places.ts"

const unlogged = Effect.provide(Logger.layer([]))

const served = (quota: Partial<Quota.Quota>) =>
  Effect.flatMap(places.server, (server) => places.hosted(server, { quotas: { loopback: quota } }))

const statusOf = (error: unknown) =>
  error instanceof StreamableHTTPError ? error.code : error instanceof SdkHttpError ? error.status : error

type Connect = (url: string) => Effect.Effect<Connected, unknown, Scope.Scope>

const legacy: ReadonlyArray<readonly [string, Connect]> = [
  ["version 1", (url) => officialV1.connect(officialV1.http(url))],
  ["version 2", (url) => officialV2.connect(officialV2.http(url), "legacy")]
]

const modern: ReadonlyArray<readonly [string, Connect]> = [
  ["version 2, modern", (url) => officialV2.connect(officialV2.http(url), { pin: "2026-07-28" })]
]

const echoed = (client: Connected) => Effect.map(client.callTool("echo", { text: "a" }), ({ content }) => content)

const echo = [{ type: "text", text: "a" }]

describe("the client of the official SDK", () => {
  for (const [name, connect] of legacy) {
    it.live(`is told that it has too many sessions, and begins one when another has ended (${name})`, () =>
      Effect.gen(function*() {
        const url = yield* served({ sessions: 1 })
        const transport = officialV1.http(url)
        yield* officialV1.connect(transport)
        assert.strictEqual(statusOf(yield* Effect.flip(connect(url))), 429)
        yield* Effect.promise(() => transport.terminateSession())
        assert.deepStrictEqual(yield* echoed(yield* connect(url)), echo)
      }).pipe(unlogged))

    it.live(`works without the stream of its session (${name})`, () =>
      Effect.gen(function*() {
        const url = yield* served({ streams: 1 })
        const clients = [yield* connect(url), yield* connect(url), yield* connect(url)]
        for (const client of clients) assert.deepStrictEqual(yield* echoed(client), echo)
      }).pipe(unlogged))
  }

  for (const [name, connect] of [...legacy, ...modern]) {
    it.live(`is told that it has too many calls, and goes on when one has ended (${name})`, () =>
      Effect.gen(function*() {
        const client = yield* connect(yield* served({ calls: 1 }))
        const abort = new AbortController()
        const options = { signal: abort.signal }
        yield* Effect.forkChild(client.callTool("until", { happens: `never to ${name}` }, options))
        assert.strictEqual(statusOf(yield* Effect.flip(Effect.forever(echoed(client)))), 429)
        abort.abort()
        assert.deepStrictEqual(yield* Effect.eventually(echoed(client)), echo)
      }).pipe(unlogged))
  }
})

describe("our client", () => {
  it.live("fails with the error of the answer, in both eras", () =>
    Effect.gen(function*() {
      const fetcher = yield* NodeHttp.makeFetcher()
      for (const revision of ["2025-11-25", "2026-07-28"] as const) {
        const url = yield* served({ calls: 1 })
        const client = yield* McpHttpClient.make(fetcher, { name: "me", version: "1", url, protocolVersion: revision })
        yield* Effect.forkChild(client.callTool("until", { happens: `never to ours, ${revision}` }))
        const error = yield* Effect.flip(Effect.forever(client.callTool("echo", { text: "a" })))
        assert.include(
          error.message,
          "was answered with error -31000: Too many calls of one client: it may have 1 at once."
        )
      }
    }).pipe(unlogged))
})
