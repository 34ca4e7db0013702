import { assert, describe, it } from "@effect/vitest"
import * as McpUpstream from "@parley/mcp-gateway/McpUpstream"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import type * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import { byAuthorization } from "../../mcp/test/http-server/support/web.ts"
import * as asking from "./support/asking.ts"
import { named, pairs } from "./support/pairs.ts"

const served = (server: McpServer.McpServer, options: McpHttp.McpHttpOptions = {}) =>
  McpHttp.endpoint(server, options).pipe(
    Effect.flatMap((endpoint) => NodeHttp.serve(endpoint, { port: 0, path: "/mcp" })),
    Effect.map(({ address }) => address)
  )

/** People with tokens, before a server that is before another, all over HTTP. */
describe("over HTTP on both sides", () => {
  for (const pair of pairs) {
    it.live(`questions reach whom they are for, and no token passes: ${named(pair)}`, () =>
      Effect.gen(function*() {
        const { server } = yield* asking.make
        const headers: Array<string | undefined> = []
        yield* server.add([
          McpTool.make("look", {}, (_, call) =>
            Effect.sync(() => {
              headers.push(call.header("authorization"))
              return "seen"
            }))
        ])
        const fetcher = yield* NodeHttp.makeFetcher()
        const far = yield* served(server)
        const between = yield* McpUpstream.server({
          name: "far",
          connect: (options) => McpHttpClient.make(fetcher, { ...options, url: far, protocolVersion: pair.far })
        })
        const near = yield* served(between, { authorize: byAuthorization })
        const names = Array.from({ length: 8 }, (_, index) => `client-${index}`)
        yield* Effect.forEach(names, (name) =>
          Effect.gen(function*() {
            const client = yield* McpHttpClient.make(fetcher, {
              name: "test",
              version: "1",
              url: near,
              protocolVersion: pair.near,
              headers: { authorization: `Bearer ${name}` },
              handlers: asking.handlers(name)
            })
            yield* Effect.forEach(["a", "b"], (as) =>
              Effect.map(client.callTool("twice", { as }), ({ content }) => {
                const person = { _tag: "Accepted", content: { name } }
                assert.deepStrictEqual(content, [
                  Content.text(JSON.stringify([as, person, [{ uri: `file:///${name}` }]]))
                ])
              }), { concurrency: "unbounded" })
            yield* client.callTool("look")
          }), { concurrency: "unbounded" })
        assert.deepStrictEqual(headers, names.map(() => undefined))
      }), 60_000)
  }
})
