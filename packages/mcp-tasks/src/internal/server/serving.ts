/**
 * The tasks of a server as an extension of it: the capabilities of both generations, their methods, the states that a client
 * listens to, and the calls that become tasks.
 */
import type { McpContext } from "@parley/mcp/McpContext"
import type { ServerCapabilities } from "@parley/mcp/payload/Capabilities"
import type { BoundExtension, ExtensionHost } from "@parley/mcp/server/ToolExtension"
import * as RevisionCodec from "@parley/mcp/wire/RevisionCodec"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Tasks from "../../Tasks.ts"
import * as TaskCodec from "../TaskCodec.ts"
import { callTool, missing } from "./creation.ts"
import type { Home } from "./Home.ts"
import * as TaskRecord from "./journal/TaskRecord.ts"
import { methodsOf } from "./taskMethods.ts"
import { TaskTable } from "./TaskTable.ts"

/** @internal */
export const bind = (home: Home, host: ExtensionHost, context: Context.Context<never>): BoundExtension => {
  const table = new TaskTable(home, host, context)
  return {
    methods: methodsOf(table, host),
    notifications: new Map(),
    around: new Map(),
    permitted: (_, taskIds, { auth, client }) =>
      !Tasks.hasExtension(client.capabilities) ? Exit.fail(missing) : Effect.filter(
        [...new Set(taskIds)],
        (taskId) =>
          Effect.orElseSucceed(
            Effect.map(table.find(taskId, auth), (placed) => placed !== undefined),
            () => false
          ),
        { concurrency: 8 }
      ),
    follow: (_, taskIds, call, tell) =>
      Effect.forEach(taskIds, (taskId) => statesOf(table, taskId, call, tell), {
        concurrency: "unbounded",
        discard: true
      }),
    capabilities,
    callTool: callTool(table, host),
    close: table.close
  }
}

/** Only a client that can be identified has tasks that can be listed: the others are told of none. */
const capabilities: BoundExtension["capabilities"] = ({ features }, principal): ServerCapabilities => {
  switch (features.tasks) {
    case "none":
      return {}
    case "core":
      return {
        tasks: {
          ...(principal === undefined ? undefined : { list: {} }),
          cancel: {},
          requests: { tools: { call: {} } }
        }
      }
    case "extension":
      return { extensions: { [Tasks.extension]: {} } }
  }
}

/**
 * Tells a client of a task: the state that it has when the stream begins, and each that follows, until the last. A client that
 * reads slowly misses states between, and never the last.
 */
const statesOf = (
  table: TaskTable,
  taskId: string,
  { auth, protocolVersion }: McpContext,
  tell: (params: Schema.JsonObject) => Effect.Effect<void>
): Effect.Effect<void> => {
  const codec = RevisionCodec.of(protocolVersion)
  const next: Effect.Effect<void> = Effect.flatMap(Effect.option(table.find(taskId, auth)), (found) => {
    const placed = Option.getOrUndefined(found)
    if (placed === undefined) return Effect.void
    const told = tell(TaskCodec.of(codec).encode.detailedTask(TaskRecord.detailedTaskOf(codec, placed.record)))
    return TaskRecord.isOver(placed.record)
      ? told
      : told.pipe(Effect.andThen(table.changed(placed)), Effect.andThen(next))
  })
  return next
}
