/** The last progress of a call that ends at once, at clients that forget a call when its result is there. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { Connected } from "./support/foreign.ts"
import * as officialV1 from "./support/officialV1.ts"
import * as officialV2 from "./support/officialV2.ts"
import * as places from "./support/places.ts"

const modern = { pin: "2026-07-28" }

const url = Effect.flatMap(places.server, places.hosted)

const clients: { readonly [title: string]: Effect.Effect<Connected, unknown, Scope.Scope> } = {
  "version 1, over stdio": Effect.flatMap(officialV1.stdio, officialV1.connect),
  "version 1, over HTTP": Effect.flatMap(url, (url) => officialV1.connect(officialV1.http(url))),
  "version 2, over stdio": Effect.flatMap(officialV2.stdio, (transport) => officialV2.connect(transport, modern)),
  "version 2, legacy, over stdio": Effect.flatMap(
    officialV2.stdio,
    (transport) => officialV2.connect(transport, "legacy")
  ),
  "version 2, over HTTP": Effect.flatMap(url, (url) => officialV2.connect(officialV2.http(url), modern))
}

const calls = 4

describe("the last progress arrives before the result at the official SDK's client,", () => {
  for (const [title, connect] of Object.entries(clients)) {
    it.live(title, () =>
      Effect.gen(function*() {
        const foreign = yield* connect
        const last: Array<unknown> = []
        for (let call = 0; call < calls; call++) {
          const heard: Array<unknown> = []
          yield* foreign.callTool("count", { to: 2 }, { onProgress: (progress) => heard.push(progress) })
          last.push(heard.at(-1))
        }
        assert.deepStrictEqual(
          last,
          Array.from({ length: calls }, () => ({ progress: 2, total: 2, message: "step 2" }))
        )
      }))
  }
})
