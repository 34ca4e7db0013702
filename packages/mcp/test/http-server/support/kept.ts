/** Sessions and events in a directory, which processes may share. */
import { NodeServices } from "@effect/platform-node"
import * as SessionStore from "@parley/mcp/http/SessionStore"
import type * as McpHttp from "@parley/mcp/McpHttp"
import { Journal } from "@parley/mesh/Journal"
import * as KeyValueJournal from "@parley/mesh/KeyValueJournal"
import { Context, Effect, Layer, type Scope } from "effect"
import { KeyValueStore } from "effect/persistence"

export const stores = (
  directory: string
): Effect.Effect<Required<Pick<McpHttp.McpHttpOptions, "journal" | "store">>, never, Scope.Scope> =>
  Layer.mergeAll(SessionStore.layerKeyValue, KeyValueJournal.layer()).pipe(
    Layer.provide(KeyValueStore.layerFileSystem(directory)),
    Layer.provide(NodeServices.layer),
    Layer.build,
    Effect.orDie,
    Effect.map((context) => ({
      journal: Context.get(context, Journal),
      store: Context.get(context, SessionStore.SessionStore)
    }))
  )
