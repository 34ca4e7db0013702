/**
 * The state of a running server, which holds the offer and what is mounted.
 */
import type { SealedState } from "@parley/oauth/SealedState"
import type * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type { McpContext } from "../../../McpContext.ts"
import type { Implementation, ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { CacheHint } from "../../../payload/Listing.ts"
import type { AnyFeature } from "../../../server/Feature.ts"
import type { ServerChanges } from "../../../server/ServerChanges.ts"
import type { Era, Revision } from "../../../wire/Revision.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Relays } from "../changes/Relays.ts"
import type { Watchers } from "../changes/Watcher.ts"
import type { Mounts } from "../composition/Mounts.ts"
import type { Extensions } from "../extensions/Extensions.ts"
import type { Finish } from "./List.ts"
import type { Offer } from "./Offer.ts"

/** @internal */
export interface ServerState {
  readonly info: Implementation
  /** The same as clients are told it, which may be that of another server. */
  readonly told: () => Implementation
  readonly instructions: () => string | undefined
  readonly protocolVersions: ReadonlyArray<Revision>
  /** The only era that the revisions are of; `undefined` where they are of both. */
  readonly era: Era | undefined
  /** The features of the server itself. */
  offer: Offer
  /** The sources that it has mounted. */
  readonly mounts: Mounts
  /** The keys of the services that its own handlers read of their callers. */
  readonly principals: ReadonlySet<string>
  extensions: Extensions
  readonly watchers: Watchers
  /** The other nodes that hear of changes. */
  readonly relays: Relays
  readonly changes: ServerChanges
  readonly visible: ((feature: AnyFeature, call: McpContext) => boolean | Effect.Effect<boolean>) | undefined
  /** Whether lists have only what the caller has the scopes for. */
  readonly listsPermitted: boolean
  /** The end of a list that is the same for all callers. */
  readonly lists: Finish
  /** The end of a list that depends on who asks: it is never kept for others. */
  readonly ownLists: Finish
  /** How long what is read may be kept, where a resource does not say. */
  readonly reads: CacheHint
  readonly sealed: SealedState
  readonly subscriptions: number
  readonly askTimeout: Duration.Input | undefined
  /** Whether the durations of calls are recorded. */
  readonly isTimed: boolean
  readonly serverInfo: (codec: RevisionCodec) => Schema.JsonObject
  readonly context: Context.Context<never>
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
}

/** The features that the server has, and that those have that are mounted. @internal */
export const kindsOf = ({ mounts, offer: { capabilities } }: ServerState): ServerCapabilities =>
  mounts.wasEmpty ? capabilities : mounts.capabilities(capabilities)

/** The keys of the services that handlers read of their callers, also those of mounted servers. @internal */
export const principalsOf = ({ mounts, principals }: ServerState): ReadonlySet<string> =>
  mounts.isEmpty ? principals : mounts.principals(principals)

/** The same, and what extensions declare, to a principal if one is known. @internal */
export const capabilitiesOf = (state: ServerState, codec: RevisionCodec, principal?: string): ServerCapabilities =>
  state.extensions.capabilities(kindsOf(state), codec, principal)
