import { layer } from "@effect/vitest"
import { Effect } from "effect"
import * as officialV1 from "./support/officialV1.ts"
import * as places from "./support/places.ts"
import { scenarios } from "./support/scenarios.ts"

const live = { excludeTestServices: true }

const transports = {
  "in memory": Effect.flatMap(places.server, officialV1.inMemory),
  "over stdio": officialV1.stdio,
  "over HTTP": Effect.map(Effect.flatMap(places.server, places.hosted), (url) => officialV1.http(url)),
  "over HTTP of two nodes": Effect.map(
    Effect.flatMap(places.server, places.spread),
    ({ fetch, url }) => officialV1.http(url, { fetch })
  ),
  "over HTTP of a router": Effect.map(Effect.flatMap(places.server, places.routed), (url) => officialV1.http(url))
}

for (const [way, transport] of Object.entries(transports)) {
  const foreign = places.of(Effect.flatMap(transport, officialV1.connect))
  layer(foreign, live)(`the official SDK's client, version 1, ${way}, and our server`, scenarios)
}
