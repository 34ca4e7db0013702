import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Parley from "../../Parley.ts"
import * as developed from "./developed.ts"

const near = process.env["SLOW"] === "1" ? ["2025-11-25", "2026-07-28"] as const : ["2025-11-25"] as const

describe("parley mcp connect", () => {
  it.live.each(near)(
    "serves a server over HTTP to a host that starts commands: a client of %s",
    (protocolVersion) =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const url = yield* Effect.flatMap(developed.everything, developed.urlOf)
        const bridge = yield* developed.overStdio(["mcp", "connect", url], folder)
        const client = yield* bridge.connect({ protocolVersion })
        const { structuredContent } = yield* client.callTool("add", { a: 1, b: 2 })
        assert.deepStrictEqual(structuredContent, { sum: 3 })
        assert.include(yield* bridge.said("is reached"), "parley-everything")
      }),
    60_000
  )

  it.live("says which command signs in where a server wants a login", () =>
    Effect.gen(function*() {
      const folder = yield* developed.folder
      const url = yield* developed.guarded
      const bridge = yield* developed.overStdio(["mcp", "connect", url], folder)
      const client = yield* bridge.connect({ protocolVersion: "2025-11-25" })
      assert.include(client.instructions ?? "", `parley mcp login ${url}`)
      assert.include(yield* bridge.said("cannot be reached"), `parley mcp login ${url}`)
    }), 60_000)
})

describe("parley proxy", () => {
  it.live.each(near)(
    "lets a client of stdio use a server of MCP over HTTP: %s",
    (protocolVersion) =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const url = yield* Effect.flatMap(developed.everything, developed.urlOf)
        const bridge = yield* developed.overStdio(["proxy", "--listen", "stdio:", url], folder)
        const client = yield* bridge.connect({ protocolVersion })
        assert.strictEqual(client.protocolVersion, protocolVersion)
        const { structuredContent } = yield* client.callTool("add", { a: 1, b: 2 })
        assert.deepStrictEqual(structuredContent, { sum: 3 })
      }),
    60_000
  )

  it.live.each(near)(
    "lets a client over HTTP use a server of MCP on stdio, and plain JSON-RPC as before: %s",
    (protocolVersion) =>
      Effect.gen(function*() {
        const folder = yield* developed.folder
        const [command, ...words] = developed.server("legacy", folder)
        const endpoint = `stdio:${[command, ...words].map((word) => `'${word}'`).join(" ")}`
        const running = yield* Parley.start(["proxy", "--listen", "http://127.0.0.1:0/mcp", endpoint])
        const url = yield* developed.urlOf(running)
        const client = yield* developed.at(url, { protocolVersion })
        yield* client.callTool("now", { key: "a" })
        const reply = yield* Effect.promise(() =>
          fetch(url, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" })
          }).then((response) => response.json())
        )
        assert.containsSubset(reply, { id: 7, result: { tools: [{ name: "now" }] } })
      }),
    60_000
  )
})
