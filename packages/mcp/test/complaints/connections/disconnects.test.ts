import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import type { Revision } from "@parley/mcp/wire/Revision"
import { Deferred, Effect } from "effect"
import * as officialV1 from "../../interop/support/officialV1.ts"
import * as officialV2 from "../../interop/support/officialV2.ts"
import * as places from "../../interop/support/places.ts"
import { tapped } from "../../interop/support/tapped.ts"
import { spoken } from "../../server/support/line.ts"

describe("complaint 9: handlers keep running after a disconnect", () => {
  for (const revision of ["2025-11-25", "2026-07-28"] satisfies ReadonlyArray<Revision>) {
    it.effect(`on a line of ${revision} they are interrupted, their finalizers run`, () =>
      Effect.gen(function*() {
        const began = yield* Deferred.make<void>()
        const finalized = yield* Deferred.make<string>()
        const stuck = McpTool.make("stuck", {}, () =>
          Effect.gen(function*() {
            yield* Effect.addFinalizer(() => Deferred.succeed(finalized, "given back"))
            yield* Deferred.succeed(began, undefined)
            return yield* Effect.never
          }))
        const server = yield* McpServer.make({ name: "s", version: "1", features: [stuck] })
        const { line, params } = yield* spoken(server, revision)
        yield* line.write({ jsonrpc: "2.0", id: "a", method: "tools/call", params: params({ name: "stuck" }) })
        yield* Deferred.await(began)
        yield* line.close
        assert.strictEqual(yield* Deferred.await(finalized), "given back")
        yield* line.ended
      }))
  }

  it.live("over HTTP of the modern era they are interrupted when their client is gone", () =>
    Effect.gen(function*() {
      const url = yield* Effect.flatMap(places.server, places.hosted)
      const tap = tapped()
      const gone = yield* officialV2.connect(officialV2.http(url, tap.fetch), { pin: "2026-07-28" })
      const other = yield* officialV2.connect(officialV2.http(url), { pin: "2026-07-28" })
      yield* Effect.forkScoped(Effect.exit(gone.callTool("work", { name: "modern" })))
      yield* other.callTool("until", { happens: "modern began" })
      tap.breakAll()
      yield* other.callTool("until", { happens: "modern was interrupted" })
    }))

  it.live("over HTTP of the legacy era they go on, and their client may come back", () =>
    Effect.gen(function*() {
      const url = yield* Effect.flatMap(places.server, places.hosted)
      const tap = tapped()
      const gone = yield* officialV1.connect(officialV1.http(url, { fetch: tap.fetch }))
      const other = yield* officialV1.connect(officialV1.http(url))
      yield* Effect.forkScoped(Effect.exit(gone.callTool("work", { name: "legacy" })))
      yield* other.callTool("until", { happens: "legacy began" })
      tap.breakAll()
      yield* Effect.promise(() => gone.client.close())
      yield* other.callTool("happen", { name: "legacy may end" })
      yield* other.callTool("until", { happens: "legacy ended" })
    }))
})
