import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Effect, Schema } from "effect"
import * as web from "../http-server/support/web.ts"

describe("complaint 1: a server is built anew for each stateless request", () => {
  for (const era of ["modern", "legacy"] as const) {
    it.effect(`in the ${era} era, ours is built once for all of them`, () =>
      Effect.gen(function*() {
        let bound = 0
        let described = 0
        const tools = Array.from({ length: 50 }, (_, index): McpTool.McpTool => {
          const tool = McpTool.make(`tool-${index}`, { params: { text: Schema.String } }, ({ text }) =>
            Effect.succeed(text))
          const { inputSchema } = tool.info
          return {
            ...tool,
            info: {
              ...tool.info,
              get inputSchema() {
                described++
                return inputSchema
              }
            },
            bind: (context) => {
              bound++
              return tool.bind(context)
            }
          }
        })
        const server = yield* McpServer.make({ name: "s", version: "1", features: tools })
        const client = yield* web.open({ sessions: false }, server)
        const ask = (method: string, params: web.Json) =>
          era === "modern" ? web.modern(client, method, params) : client.post(web.request(method, params))
        yield* Effect.flatMap(ask("tools/list", {}), ({ text }) =>
          text)
        const first = described
        for (let times = 0; times < 100; times++) {
          const listed = yield* (yield* ask("tools/list", {})).json
          assert.lengthOf(listed.result?.["tools"] as ReadonlyArray<unknown>, 50)
          const called = yield* ask("tools/call", { name: `tool-${times % 50}`, arguments: { text: "hi" } })
          assert.strictEqual(web.textOf(yield* called.json), "hi")
        }
        assert.strictEqual(bound, 50)
        // A call looks for headers in the schema of its tool, the first time.
        assert.isAtMost(described - first, 50)
      }))
  }
})
