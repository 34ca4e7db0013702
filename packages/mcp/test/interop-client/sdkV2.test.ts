import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as official from "./support/official.ts"
import * as places from "./support/places.ts"
import { type Place, promises } from "./support/promises.ts"

const live = { excludeTestServices: true }

const place: Place = {
  name: "v2",
  revision: "2026-07-28",
  speaks: true,
  unknownTool: "ProtocolError",
  notFound: -32602
}

const legacy: Place = { ...place, revision: "2025-11-25" }

const stdio = places.script("v2Stdio.ts")

const ways = [
  ["over stdio, left to themselves", places.overStdio(stdio), place],
  ["over stdio, in the legacy era", places.overStdio(stdio, { protocolVersion: "2025-11-25" }), legacy],
  [
    "over HTTP, left to themselves",
    Effect.flatMap(official.v2Handler, (url) => places.overHttp(url)),
    { ...place, forgets: true }
  ],
  [
    "over HTTP, in the legacy era",
    Effect.flatMap(official.v2Handler, (url) => places.overHttp(url, { protocolVersion: "2025-11-25" })),
    { ...legacy, speaks: false, forgetsLevel: true }
  ]
] as const

for (const [way, client, place] of ways) {
  layer(places.of(client), live)(`our client and the official SDK's server, version 2, ${way}:`, promises(place))
}

describe("our client and the official SDK's server, version 2, over HTTP:", () => {
  it.live("a client that insists on the modern era asks nothing before its first request", () =>
    Effect.gen(function*() {
      const client = yield* places.overHttp(yield* official.v2Handler, { protocolVersion: "2026-07-28" })
      const before = client.capabilities
      assert.isUndefined(before)
      assert.deepInclude((yield* client.callTool("echo", { text: "a" })).content[0], { text: "a" })
      yield* client.discover
      assert.deepInclude(client.serverInfo, { name: "v2" })
      assert.isDefined(client.capabilities?.tools)
    }))
})
