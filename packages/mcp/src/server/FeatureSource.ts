/**
 * A source of features beyond those of a server itself: another server in this process, or one behind a client.
 *
 * A server that mounts a source offers its features beside its own. It asks the source for each call, so that a source
 * may have other features for other clients.
 *
 * ```ts
 * import { McpServer, McpTool } from "@parley/mcp"
 * import type { MountOptions } from "@parley/mcp/server/FeatureSource"
 * import { Effect } from "effect"
 *
 * const now = McpTool.make("now", { description: "The time." }, () => Effect.succeed("noon"))
 * const options: MountOptions = { prefix: "clock_" }
 *
 * // A server is a source for others.
 * export const both = Effect.gen(function*() {
 *   const clock = yield* McpServer.make({ name: "clock", version: "1.0.0", features: [now] })
 *   const server = yield* McpServer.make({ name: "both", version: "1.0.0", features: [] })
 *   yield* server.mount(clock, options)
 *   return server
 * })
 * ```
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { McpContext } from "../McpContext.ts"
import type { ServerCapabilities } from "../payload/Capabilities.ts"
import type { ToolInfo } from "../payload/Listing.ts"
import type { Feature } from "./Feature.ts"
import type { Change } from "./ServerChanges.ts"

/**
 * A source of features.
 *
 * @category models
 * @since 0.1.0
 */
export interface FeatureSource {
  /**
   * The features for a call, in the order of lists. It is the same array as long as they are the same, and an exit where
   * nothing has to be waited for. Where only one feature is wanted, others may be missing.
   */
  readonly featuresFor: (call: McpContext, wanted?: Wanted) => Effect.Effect<ReadonlyArray<Feature>>
  /** The list entry of a tool, for a call without a principal. */
  readonly tool: (name: string) => ToolInfo | undefined
  /** The kinds of features that there are, or have been. */
  readonly capabilities: () => ServerCapabilities
  /** Hears of changes until the Scope closes. */
  readonly onChange: (hear: (change: Change) => void) => Effect.Effect<void, never, Scope.Scope>
  /** The keys of the services that its handlers read of their callers by `call.auth`. None, by default. */
  readonly principals?: (() => ReadonlySet<string>) | undefined
  /**
   * Whether all callers have the same features, so that a list of them may be kept for all. Without it, they have not: lists
   * with features of the source are `private`.
   */
  readonly isSame?: (() => boolean) | undefined
  /**
   * When a result of the source has referred to a URI, as a number that grows; `undefined` where none has. Of several
   * sources, a URI that none lists, and that fits no template with a fixed authority or path, belongs to the one that
   * referred to it first.
   */
  readonly linkedAt?: ((uri: string) => number | undefined) | undefined
  /**
   * Whether the source cannot be asked now, so that its features may be other ones than those that it gives. Without it, it
   * can always be asked.
   */
  readonly isAway?: (() => boolean) | undefined
}

/**
 * The only feature that a call is about: a tool or a prompt, by its name in the source.
 *
 * @category models
 * @since 0.1.0
 */
export interface Wanted {
  readonly kind: "tool" | "prompt"
  readonly name: string
}

/**
 * The options of a mount, which say how a server offers the features of its source.
 *
 * @category models
 * @since 0.1.0
 */
export interface MountOptions {
  /** The prefix of the names of tools and prompts. Resources keep their URIs. */
  readonly prefix?: string | undefined
  /** Maps each feature, which has its prefix already, to the feature that is offered; `undefined` leaves it out. */
  readonly select?: ((feature: Feature) => Feature | undefined) | undefined
  /**
   * Whether a tool or prompt may have a name here, for a `select` that gives names of its own. With it, a call of another
   * name does not wait for this source.
   */
  readonly owns?: ((kind: "tool" | "prompt", name: string) => boolean) | undefined
  /**
   * The beginnings of URIs that belong to this source alone, as in `repo://`: resources and templates of other sources that
   * begin so are not offered. Of two beginnings that fit, the longer counts.
   */
  readonly uris?: ReadonlyArray<string> | undefined
}
