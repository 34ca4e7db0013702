/**
 * The place of one server in a gateway, which stays while the server in it is replaced. A server that has to go takes no
 * new call, and ends when its calls have ended; answers to its questions still reach it. A slot is the source
 * of its mount, and the options of that, too: they follow the server in it.
 */
import type { McpContext } from "@parley/mcp/McpContext"
import type { Feature } from "@parley/mcp/server/Feature"
import type { FeatureSource, MountOptions, Wanted } from "@parley/mcp/server/FeatureSource"
import { type Change, Hearers, lists } from "@parley/mcp/server/ServerChanges"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { McpUpstream } from "../../McpUpstream.ts"
import * as Kept from "../upstream/Kept.ts"
import type { Names } from "./names.ts"

type Features = ReadonlyArray<Feature>

/** A server for a slot. @internal */
export interface Occupant {
  /** The entry of the configuration: a server whose entry is the same stays. */
  readonly entry: unknown
  readonly names: Names
  readonly uris: ReadonlyArray<string> | undefined
  readonly make: (kept: Kept.Kept) => Effect.Effect<McpUpstream, never, Scope.Scope>
}

interface Generation {
  readonly occupant: Occupant
  readonly upstream: McpUpstream
  readonly scope: Scope.Closeable
  /** Done when another server is in its place. */
  readonly left: Deferred.Deferred<void>
}

/** Milliseconds that a new server may take to be reached before it replaces another. */
const patience = 10_000

/** Milliseconds that a server stays for calls which have found it and have not begun: they may wait for lists so long. */
const grace = 10_000

const none: Features = []

/** @internal */
export class Slot implements FeatureSource, MountOptions {
  readonly #scope: Scope.Scope
  readonly #kept: Kept.Kept
  readonly #hearers = new Hearers()
  readonly #bound = new WeakMap<Features, Features>()
  #now: Generation | undefined = undefined

  constructor(scope: Scope.Scope) {
    this.#scope = scope
    this.#kept = Kept.make(scope)
  }

  get upstream(): McpUpstream | undefined {
    return this.#now?.upstream
  }

  get entry(): unknown {
    return this.#now?.occupant.entry
  }

  get names(): Names | undefined {
    return this.#now?.occupant.names
  }

  readonly select = (feature: Feature) => this.names?.select(feature)

  readonly owns = (kind: "tool" | "prompt", name: string) => this.names?.owns(kind, name) === true

  get uris() {
    return this.#now?.occupant.uris
  }

  /** Puts a server into the slot, once it is reached where there is another one. */
  put(occupant: Occupant): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const scope = Scope.forkUnsafe(this.#scope)
      const upstream = yield* Scope.provide(occupant.make(this.#kept), scope)
      if (this.#now !== undefined) yield* Effect.timeoutOption(Effect.exit(upstream.ready), patience)
      yield* Scope.provide(upstream.onChange((change) => this.#hearers.tell(change)), scope)
      yield* this.#replace({ occupant, upstream, scope, left: Deferred.makeUnsafe() })
    })
  }

  /** Leaves the slot empty. */
  readonly leave: Effect.Effect<void> = Effect.suspend(() => this.#replace(undefined))

  #replace(next: Generation | undefined): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.#now
      this.#now = next
      if (before === undefined) return Effect.void
      for (const list of lists) this.#hearers.tell({ list })
      const retired = Effect.sleep(grace).pipe(
        Effect.andThen(before.upstream.settled),
        Effect.andThen(Scope.close(before.scope, Exit.void))
      )
      return Effect.andThen(Deferred.succeed(before.left, undefined), Effect.forkIn(retired, this.#scope))
    })
  }

  featuresFor(call: McpContext, wanted?: Wanted): Effect.Effect<Features> {
    const now = this.#now
    if (now === undefined) return Exit.succeed(none)
    return Effect.mapEager(now.upstream.featuresFor(call, wanted), (features) => this.#boundTo(now, features))
  }

  tool(name: string) {
    const own = this.names?.ownOf("tool", name)
    return own === undefined ? undefined : this.upstream?.tool(own)
  }

  capabilities() {
    return this.upstream?.capabilities() ?? {}
  }

  onChange(hear: (change: Change) => void) {
    return this.#hearers.add(hear)
  }

  linkedAt(uri: string) {
    return this.#kept.links.at(uri)
  }

  isAway() {
    return this.upstream?.isAway?.() === true
  }

  /** The same features, of which nobody hears any more when another server is in the slot. */
  #boundTo({ left }: Generation, features: Features): Features {
    const known = this.#bound.get(features)
    if (known !== undefined) return known
    const made = features.map((feature) => {
      if (!("watch" in feature) || feature.watch === undefined) return feature
      const { watch } = feature
      return {
        ...feature,
        watch: (uri: string, call: McpContext) => Stream.interruptWhen(watch(uri, call), Deferred.await(left))
      }
    })
    this.#bound.set(features, made)
    return made
  }
}
