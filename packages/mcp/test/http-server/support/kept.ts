/** Sessions and events in a directory, which processes may share. */
import { NodeServices } from "@effect/platform-node"
import * as EventStore from "@parley/mcp/http/EventStore"
import * as SessionStore from "@parley/mcp/http/SessionStore"
import type * as McpHttp from "@parley/mcp/McpHttp"
import { Context, Effect, Layer, type Scope } from "effect"
import { KeyValueStore } from "effect/persistence"

export const stores = (
  directory: string
): Effect.Effect<Required<Pick<McpHttp.Options, "events" | "store">>, never, Scope.Scope> =>
  Layer.mergeAll(SessionStore.layerKeyValue, EventStore.layerKeyValue).pipe(
    Layer.provide(KeyValueStore.layerFileSystem(directory)),
    Layer.provide(NodeServices.layer),
    Layer.build,
    Effect.orDie,
    Effect.map((context) => ({
      events: Context.get(context, EventStore.EventStore),
      store: Context.get(context, SessionStore.SessionStore)
    }))
  )
