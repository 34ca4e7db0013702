import { assert, describe, it, layer } from "@effect/vitest"
import type { Transport, VersionNegotiationMode } from "@modelcontextprotocol/client"
import { Effect, type Scope } from "effect"
import * as officialV2 from "./support/officialV2.ts"
import * as places from "./support/places.ts"
import { scenarios } from "./support/scenarios.ts"

const live = { excludeTestServices: true }

const modes: ReadonlyArray<readonly [string, VersionNegotiationMode]> = [
  ["of the legacy era", "legacy"],
  ["of the modern era", { pin: "2026-07-28" }]
]

const transports: { readonly [way: string]: Effect.Effect<Transport, never, Scope.Scope> } = {
  "in memory": Effect.flatMap(places.server, officialV2.inMemory),
  "over stdio": officialV2.stdio,
  "over HTTP": Effect.map(Effect.flatMap(places.server, places.hosted), (url) => officialV2.http(url)),
  "over HTTP of two nodes": Effect.map(
    Effect.flatMap(places.server, places.spread),
    ({ fetch, url }) => officialV2.http(url, fetch)
  )
}

for (const [era, mode] of modes) {
  for (const [way, transport] of Object.entries(transports)) {
    const foreign = places.of(Effect.flatMap(transport, (transport) => officialV2.connect(transport, mode)))
    layer(foreign, live)(`the official SDK's client, version 2, ${era}, ${way}, and our server`, scenarios)
  }
}

describe("the official SDK's client, version 2, that looks what there is", () => {
  for (const [way, transport] of Object.entries(transports)) {
    it.live(`finds the modern era ${way}`, () =>
      Effect.gen(function*() {
        const foreign = yield* officialV2.connect(yield* transport, "auto")
        assert.deepStrictEqual([foreign.era, foreign.revision], ["modern", "2026-07-28"])
        assert.deepStrictEqual((yield* foreign.callTool("echo", { text: "a" })).content, [{ type: "text", text: "a" }])
      }))
  }
})
