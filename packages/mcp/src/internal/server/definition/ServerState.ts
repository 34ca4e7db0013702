/**
 * What a server is while it runs: what it offers now, who listens, and what its
 * calls need of it. Connections hold nothing of each other.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type { McpContext } from "../../../McpContext.ts"
import type { Implementation } from "../../../payload/Capabilities.ts"
import type { CacheHint } from "../../../payload/Listing.ts"
import type { SealedState } from "../../../server/SealedState.ts"
import type { AnyFeature } from "../../../server/ServerDefinition.ts"
import type { Era, Revision } from "../../../wire/Revision.ts"
import type { RevisionCodec } from "../../../wire/RevisionCodec.ts"
import type { Watchers } from "../changes/Watcher.ts"
import type { Finish } from "../lists/List.ts"
import type { Offer } from "./Offer.ts"

/** @internal */
export interface ServerState {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly revisions: ReadonlyArray<Revision>
  /** The only era that the revisions are of; `undefined` where they are of both. */
  readonly era: Era | undefined
  offer: Offer
  readonly watchers: Watchers
  readonly visible: ((feature: AnyFeature, call: McpContext) => boolean | Effect.Effect<boolean>) | undefined
  readonly lists: Finish
  /** How long what is read may be kept, where a resource does not say. */
  readonly reads: CacheHint
  readonly sealed: SealedState
  readonly subscriptions: number
  readonly askTimeout: Duration.Input | undefined
  readonly serverInfo: (codec: RevisionCodec) => Schema.JsonObject
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
}
