import { describe, expectTypeOf, it } from "@effect/vitest"
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import { Context, Effect, type Layer } from "effect"

class Store extends Context.Service<Store, { readonly name: string }>()("Store") {}

describe("types", () => {
  it("a tool whose calls are tasks requires a place for them, whatever else it requires", () => {
    const task = McpTool.make(
      "t",
      { extensions: [McpTasks.optional()] },
      () => Store.use(({ name }) => Effect.succeed(name))
    )
    expectTypeOf(task).toEqualTypeOf<McpTool.McpTool<Store | McpTasks.McpTasks>>()
    const extensions = [McpTasks.required({ resumable: true })]
    const options = McpTool.make("t", { extensions }, () => Effect.succeed("x"))
    expectTypeOf(options).toEqualTypeOf<McpTool.McpTool<McpTasks.McpTasks>>()
    const raw = McpTool.raw("t", { inputSchema: { type: "object" }, extensions }, () => Effect.succeed("x"))
    expectTypeOf(raw).toEqualTypeOf<McpTool.McpTool<McpTasks.McpTasks>>()
    const server = McpServer.layer({ name: "s", version: "1", features: [raw] })
    expectTypeOf(server).toEqualTypeOf<Layer.Layer<McpServer.McpServer, never, McpTasks.McpTasks>>()
    // @ts-expect-error there is no such option
    expectTypeOf(() => McpTasks.optional({ support: "forbidden" })).toBeFunction()
    // @ts-expect-error it is no option of an extension
    expectTypeOf(() => McpTool.make("t", { extensions: ["optional"] }, () => Effect.succeed("x"))).toBeFunction()
  })
})
