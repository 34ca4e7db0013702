import { assert, describe, it } from "@effect/vitest"
import * as McpHttp from "@parley/mcp/McpHttp"
import * as McpHttpClient from "@parley/mcp/McpHttpClient"
import * as NodeHttp from "@parley/node/NodeHttp"
import { Effect } from "effect"
import * as web from "../http-server/support/web.ts"
import { serveWeb } from "../support/webHost.ts"
import { declared, server, Weather } from "./support/weather.ts"

const meta = { ...web.meta, "io.modelcontextprotocol/clientCapabilities": declared }

describe("the header Mcp-Name of an extension's method", () => {
  it.effect("repeats the param that the declaration names, and must be there", () =>
    Effect.gen(function*() {
      const client = yield* web.alone({}, yield* server)
      const params = { station: "north", _meta: meta }
      const without = yield* web.modern(client, "weather/at", params)
      assert.strictEqual(without.status, 400)
      assert.deepInclude((yield* without.json).error, { code: -32020, message: "Mcp-Name is missing" })
      const other = yield* web.modern(client, "weather/at", params, { "mcp-name": "south" })
      assert.strictEqual((yield* other.json).error?.code, -32020)
      const right = yield* web.modern(client, "weather/at", params, { "mcp-name": "north" })
      assert.strictEqual(right.status, 200)
      const undeclared = yield* web.modern(client, "weather/at", { station: "north" }, { "mcp-name": "north" })
      assert.strictEqual(undeclared.status, 400)
      assert.strictEqual((yield* undeclared.json).error?.code, -32021)
    }))

  it.live("is written by our client, over a real connection", () =>
    Effect.gen(function*() {
      const handle = yield* McpHttp.makeWebHandler(yield* server)
      const names: Array<string | null> = []
      const url = yield* serveWeb((request) => {
        if (request.headers.get("mcp-method") === "weather/at") names.push(request.headers.get("mcp-name"))
        return handle(request)
      })
      const client = yield* McpHttpClient.make(yield* NodeHttp.makeFetcher(), {
        name: "c",
        version: "1",
        url,
        extensions: [Weather.use({ settings: { units: "celsius" } })]
      })
      const { calls } = yield* Weather.client(client)
      assert.deepStrictEqual(yield* calls.at({ station: "north" }), { degrees: -3 })
      assert.deepStrictEqual(names, ["north"])
    }))
})
