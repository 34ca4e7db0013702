/**
 * A server that has everything: the fixtures that the official conformance suites
 * look for, and a few tools that a person would like to try.
 */
import * as McpTasks from "@parley/mcp-tasks/McpTasks"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { version } from "../../terminal/version.ts"
import * as asking from "./asking.ts"
import * as content from "./content.ts"
import * as jobs from "./jobs.ts"
import * as reading from "./reading.ts"
import * as skills from "./skills.ts"
import * as trying from "./trying.ts"

/** The server, until the Scope closes. */
export const make: Effect.Effect<McpServer.McpServer, never, Scope.Scope> = Effect.gen(function*() {
  let touched = 0
  const tasks = yield* Layer.build(McpTasks.layerMemory())
  const server = yield* Effect.provideContext(
    McpServer.make({
      name: "parley-everything",
      version,
      title: "Everything",
      instructions: "A server to try clients with. None of its tools changes anything outside of it.",
      features: [
        ...trying.tools,
        ...content.tools,
        ...asking.tools,
        ...jobs.tools,
        ...reading.resources(() => touched),
        ...reading.prompts,
        ...asking.prompts
      ],
      extensions: [yield* skills.extension]
    }),
    tasks
  )
  yield* server.add([
    McpTool.make(
      "test_trigger_tool_change",
      { description: "Tells who listens that the list of tools has changed." },
      () => Effect.as(server.listChanged("tools"), "Mutation triggered")
    ),
    McpTool.make(
      "test_trigger_prompt_change",
      { description: "Tells who listens that the list of prompts has changed." },
      () => Effect.as(server.listChanged("prompts"), "Mutation triggered")
    ),
    McpTool.make(
      "touch_watched_resource",
      { description: `Changes ${reading.watchedUri}, and tells who is subscribed to it.` },
      () =>
        Effect.suspend(() => {
          touched++
          return Effect.as(server.resourceUpdated(reading.watchedUri), `It was changed ${touched} times.`)
        })
    )
  ])
  return server
})
