import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as official from "./support/official.ts"
import * as places from "./support/places.ts"
import { type Place, promises } from "./support/promises.ts"

const live = { excludeTestServices: true }

const place: Place = {
  name: "v1",
  revision: "2025-11-25",
  speaks: true,
  unknownTool: "ToolError",
  notFound: -32602
}

const ways = {
  "in memory": official.v1InMemory,
  "over stdio": places.overStdio(places.script("v1Stdio.ts")),
  "over HTTP with sessions": Effect.flatMap(official.v1Sessions(), ({ url }) => places.overHttp(url))
}

for (const [way, client] of Object.entries(ways)) {
  layer(places.of(client), live)(`our client and the official SDK's server, version 1, ${way}:`, promises(place))
}

describe("our client and the official SDK's server, version 1, over HTTP with sessions:", () => {
  it.live("a server that has restarted gets the call in a new session, once", () =>
    Effect.gen(function*() {
      const server = yield* official.v1Sessions()
      const client = yield* places.overHttp(server.url)
      yield* client.listTools()
      server.restart()
      const { structuredContent } = yield* client.callTool("add", { a: 1, b: 2 })
      assert.deepStrictEqual(structuredContent, { sum: 3 })
      assert.strictEqual(server.opened(), 2)
    }))

  it.live("a client that insists on a revision that there is not says which there are", () =>
    Effect.gen(function*() {
      const { url } = yield* official.v1Sessions()
      const modern = yield* places.overHttp(url, { protocolVersion: "2026-07-28" })
      assert.strictEqual((yield* Effect.flip(modern.listTools()))._tag, "ProtocolError")
      for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18"] as const) {
        const older = yield* places.overHttp(url, { protocolVersion: revision })
        assert.strictEqual(older.protocolVersion, revision)
        const { content } = yield* older.callTool("echo", { text: revision })
        assert.deepInclude(content[0], { text: revision })
      }
    }))

  it.live("a stream that the server closes within a call is taken up where it was", () =>
    Effect.gen(function*() {
      const { url } = yield* official.v1Sessions()
      const client = yield* places.overHttp(url)
      const events = yield* Stream.runCollect(client.streamTool("cut"))
      const texts = events.map((event) => event._tag === "Progress" ? event.progress.message : event.result.content)
      assert.deepStrictEqual(texts as unknown, ["before the cut", "behind the cut", [{ type: "text", text: "all" }]])
    }))
})
