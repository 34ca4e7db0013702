/**
 * The changes that a server tells its clients of. `McpServer` has them, and so has each call, so that a handler needs no
 * service for them: a layer whose handlers required its own `McpServer` would require itself.
 *
 * ```ts
 * import { McpTool } from "@parley/mcp"
 * import type { ServerChanges } from "@parley/mcp/server/ServerChanges"
 * import { Effect, Schema } from "effect"
 *
 * declare const write: (path: string, text: string) => Effect.Effect<void, Error>
 *
 * const told = (server: ServerChanges, path: string) => server.resourceUpdated(`file://${path}`)
 *
 * export const save = McpTool.make(
 *   "save",
 *   { params: { path: Schema.String, text: Schema.String } },
 *   ({ path, text }, call) => Effect.andThen(write(path, text), told(call.server, path))
 * )
 * ```
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/** The lists that clients are told of when they change. @category constants @since 0.1.0 */
export const lists = ["tools", "resources", "prompts"] as const

/** One of those lists. @category models @since 0.1.0 */
export type Listed = (typeof lists)[number]

/**
 * A notification of an extension for the clients that listen to it. `publish` of an `McpExtension` writes it from typed
 * params.
 *
 * @category models
 * @since 0.1.0
 */
export interface ExtensionNotification {
  /** The identifier of the extension. */
  readonly extension: string
  /** The notification, by its name on the wire. */
  readonly method: string
  /** The params, as JSON. */
  readonly params: Schema.JsonObject
  /** The value of the key of its topic; `undefined` where the topic has none. A newer one replaces an older one of it. */
  readonly key?: string | undefined
}

/**
 * A change: of a list, of a resource by its URI, or that a person has done what they were asked to do at a URL; or what an
 * extension tells.
 *
 * @category models
 * @since 0.1.0
 */
export type Change =
  | { readonly list: Listed }
  | { readonly uri: string }
  | { readonly elicitationId: string }
  | ExtensionNotification

/**
 * Tells clients of changes. Nothing here waits for a client.
 *
 * @category models
 * @since 0.1.0
 */
export interface ServerChanges {
  /** Tells the clients that listen to a resource that it has changed. */
  readonly resourceUpdated: (uri: string) => Effect.Effect<void>

  /**
   * Tells the client that a call has asked to open a URL, with this `elicitationId`, or refused because of one (-32042),
   * that its person is done there. Only 2025-11-25 has a word for it; in the modern era the call is made again.
   */
  readonly elicitationComplete: (elicitationId: string) => Effect.Effect<void>

  /** Sends `notifications/…/list_changed`. Needed only where `visible` or a dynamic source has changed: `add` sends it itself. */
  readonly listChanged: (list: Listed) => Effect.Effect<void>

  /**
   * Sends a notification of an extension to the clients that listen to it: `publish` of the `McpExtension` writes it.
   */
  readonly extensionNotified: (notification: ExtensionNotification) => Effect.Effect<void>
}

/**
 * Those who hear of the changes of one server, or of a `FeatureSource`.
 *
 * @category models
 * @since 0.1.0
 */
export class Hearers {
  readonly #all = new Set<(change: Change) => void>()

  /** Hears of changes until the Scope closes. */
  add(hear: (change: Change) => void): Effect.Effect<void, never, Scope.Scope> {
    return Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => this.#all.add(hear)),
      () => Effect.sync(() => this.#all.delete(hear))
    ))
  }

  tell(change: Change) {
    for (const hear of [...this.#all]) hear(change)
  }
}
