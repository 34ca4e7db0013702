/** Every pair of eras, and what takes its time: servers that come and go, and those that say nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Parley from "../../Parley.ts"
import "./connect.test.ts"
import * as developed from "./developed.ts"

const near = ["2025-11-25", "2026-07-28"] as const

describe("parley mcp connect", () => {
  it.live.each(near)(
    "serves a command to clients over HTTP: a client of %s",
    (protocolVersion) =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const bridge = yield* developed.overHttp(["connect", "--", ...developed.server("modern", folder)], folder)
        const clients = yield* Effect.all([bridge.connect({ protocolVersion }), bridge.connect({ protocolVersion })])
        for (const client of clients) yield* client.callTool("now", { key: "a" })
        assert.lengthOf(folder.calls(), 2)
      }),
    60_000
  )

  it.live(
    "serves before its server is there, says why it is not, and finds it when it comes, goes and comes back",
    () =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const first = yield* developed.everything
        const url = yield* developed.urlOf(first)
        yield* first.signal("SIGKILL")
        yield* first.outcome
        const bridge = yield* developed.overStdio(["mcp", "connect", url], folder)
        const client = yield* bridge.connect({ protocolVersion: "2025-11-25" })
        assert.include(client.instructions ?? "", "ECONNREFUSED")
        assert.deepStrictEqual(yield* client.listTools(), [])
        const error = yield* Effect.flip(client.callTool("add", { a: 1, b: 2 }))
        assert.include(error.message, "cannot be reached")
        const again = yield* Parley.start(["mcp", "serve", "--http", new URL(url).host])
        yield* developed.urlOf(again)
        yield* client.callTool("add", { a: 1, b: 2 })
        assert.include(yield* bridge.said("is reached"), "parley-everything")
        yield* again.signal("SIGKILL")
        yield* again.outcome
        yield* Effect.flip(client.callTool("add", { a: 1, b: 2 }))
        yield* bridge.said("is gone")
        // Its lists stay as they were, so that a host keeps its tools.
        assert.isNotEmpty(yield* client.listTools())
        yield* developed.urlOf(yield* Parley.start(["mcp", "serve", "--http", new URL(url).host]))
        yield* client.callTool("add", { a: 1, b: 2 })
        yield* bridge.said("is back")
      }),
    60_000
  )

  it.live(
    "remembers a command whose server was silent to a newer client, until it speaks",
    () =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const known = (): ReadonlyArray<string> =>
          JSON.parse(readFileSync(join(folder.path, "parley", "silent-servers.json"), "utf8"))
        const revisionOf = (era: developed.Era) =>
          Effect.scoped(Effect.gen(function*() {
            writeFileSync(join(folder.path, "era"), era)
            const bridge = yield* developed.overStdio(
              ["mcp", "connect", "--", ...developed.server("changing", folder)],
              folder
            )
            const client = yield* bridge.connect({ protocolVersion: "2025-11-25" })
            yield* client.callTool("now", { key: "a" })
            return (yield* bridge.said("is reached")).replace(/.*MCP ([\d-]+).*/, "$1")
          }))
        assert.strictEqual(yield* revisionOf("silent"), "2025-11-25")
        assert.lengthOf(known(), 1)
        assert.strictEqual(yield* revisionOf("silent"), "2025-11-25")
        assert.lengthOf(known(), 1)
        assert.strictEqual(yield* revisionOf("modern"), "2026-07-28")
        assert.lengthOf(known(), 0)
      }),
    60_000
  )
})
