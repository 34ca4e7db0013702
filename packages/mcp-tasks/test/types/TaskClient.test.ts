import { describe, expectTypeOf, it } from "@effect/vitest"
import * as TaskClient from "@parley/mcp-tasks/TaskClient"
import type { McpToolError } from "@parley/mcp/client/McpClientError"
import * as McpClient from "@parley/mcp/McpClient"
import type { CallToolResult } from "@parley/mcp/payload/Results"
import { type Effect, Schema } from "effect"

declare const tasks: TaskClient.TaskClient

const Args = Schema.Struct({ day: Schema.Finite })

describe("types", () => {
  it("a call that is started takes what a call takes, and gives a result or a task", () => {
    const started = () => tasks.start("t", { day: 1 }, { params: Args, extensions: [TaskClient.call({ task: {} })] })
    expectTypeOf(started).returns.toEqualTypeOf<Effect.Effect<TaskClient.StartedTool, McpToolError>>()
    // @ts-expect-error the Schema wants a number
    const wrong = () => tasks.start("t", { day: "1" }, { params: Args })
    expectTypeOf(wrong).toBeFunction()
    const waiting = () => tasks.task("id", { tool: "t" }).await
    expectTypeOf(waiting).returns.toEqualTypeOf<Effect.Effect<CallToolResult, McpToolError>>()
  })

  it("a client of tasks requires nothing more", () => {
    const extensions = [TaskClient.use({ timeout: "1 hour" })]
    const made = () => McpClient.layer({ name: "c", version: "1", extensions })
    const other = () => McpClient.layer({ name: "c", version: "1" })
    expectTypeOf(made).toEqualTypeOf<typeof other>()
    // @ts-expect-error there is no such option
    expectTypeOf(() => TaskClient.use({ forever: true })).toBeFunction()
  })
})
