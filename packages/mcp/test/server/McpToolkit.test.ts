import { assert, describe, it } from "@effect/vitest"
import * as McpContext from "@parley/mcp/McpContext"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpToolkit from "@parley/mcp/McpToolkit"
import { Effect, Layer, References, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { spoken } from "./support/line.ts"

const text = (value: string) => [{ type: "text", text: value }]

class Closed extends Schema.TaggedError<Closed>()("Closed", { until: Schema.String }) {
  override get message() {
    return `closed until ${this.until}`
  }
}

describe("a toolkit of effect/ai", () => {
  const Search = Tool.make("search", {
    description: "Finds things.",
    parameters: Schema.Struct({ query: Schema.String }),
    success: Schema.Struct({ found: Schema.Array(Schema.String) }),
    failure: Closed
  }).annotate(Tool.Readonly, true).annotate(Tool.Title, "Search")
  const Count = Tool.make("count", { success: Schema.Int })
  const toolkit = Toolkit.make(Search, Count)
  const layer = toolkit.toLayer({
    search: ({ query }) =>
      query === "closed"
        ? Effect.fail(new Closed({ until: "noon" }))
        : query === "defect"
        ? Effect.die(new Error("secret"))
        : Effect.succeed({ found: [query] }),
    count: () => Effect.map(McpContext.Current, (call) => call?.client.info?.name.length ?? -1)
  })
  const made = McpServer.make({ name: "s", version: "1", features: McpToolkit.tools(toolkit) }).pipe(
    Effect.provide(layer)
  )

  it.effect("is offered as it is", () =>
    Effect.gen(function*() {
      const { line } = yield* spoken(yield* made, "2025-11-25")
      const { tools } = yield* line.result("tools/list")
      assert.deepStrictEqual((tools as ReadonlyArray<unknown>)[0], {
        name: "search",
        title: "Search",
        description: "Finds things.",
        inputSchema: {
          type: "object",
          properties: { query: { type: "string" } },
          required: ["query"],
          additionalProperties: false
        },
        outputSchema: {
          type: "object",
          properties: { found: { type: "array", items: { type: "string" } } },
          required: ["found"]
        },
        annotations: { readOnlyHint: true, destructiveHint: true, idempotentHint: false, openWorldHint: true }
      })
      const called = yield* line.result("tools/call", { name: "search", arguments: { query: "x" } })
      assert.deepStrictEqual(called, { content: text(`{"found":["x"]}`), structuredContent: { found: ["x"] } })
    }))

  it.effect("tells its handlers of the call, its failures to the model, and its defects to nobody", () =>
    Effect.gen(function*() {
      const { line } = yield* spoken(yield* made, "2025-11-25")
      assert.deepInclude(yield* line.result("tools/call", { name: "count" }), { content: text("4") })
      const closed = yield* line.result("tools/call", { name: "search", arguments: { query: "closed" } })
      assert.deepStrictEqual(closed, { content: text("closed until noon"), isError: true })
      const misfit = yield* line.result("tools/call", { name: "search", arguments: { query: 1 } })
      assert.deepInclude(misfit, { isError: true })
      const defect = yield* line.refusal("tools/call", { name: "search", arguments: { query: "defect" } })
      assert.deepStrictEqual(defect, { code: -32603, message: "Internal error" })
    }).pipe(Effect.provide(Layer.succeed(References.MinimumLogLevel, "None"))))
})
