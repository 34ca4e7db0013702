/**
 * The sources that a server has mounted, and the offer that they make together with its own features.
 *
 * Sources give the same array as long as their features are the same, so an offer, with its encoded lists, is made once
 * for each combination of arrays.
 */
import { Excerpt } from "@parley/protocol/shared"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { memoize } from "effect/Function"
import type { McpContext } from "../../../McpContext.ts"
import type { ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { ToolInfo } from "../../../payload/Listing.ts"
import type { Feature } from "../../../server/Feature.ts"
import type { FeatureSource, MountOptions, Wanted } from "../../../server/FeatureSource.ts"
import { type Listed, lists } from "../../../server/ServerChanges.ts"
import * as Uri from "../../../shared/Uri.ts"
import { omit } from "../../Json.ts"
import { bind, type Bound, nameOf, Offer } from "../definition/Offer.ts"
import { isSuccess } from "../feature/handler.ts"
import { declarerOf, type Owner, ownersOfName, UriOwners } from "./Owners.ts"
import type { Sought } from "./Sought.ts"

type Features = ReadonlyArray<Feature>

interface Mount extends Owner {
  /** The features of the source as this server offers them. */
  readonly mounted: (features: Features) => Features
  /** The features that the source gave when it was last asked for all: none before that. */
  latest: Features
}

/** Asks a source for its features. The mount remembers them where it was asked for all. */
const asked = (mount: Mount, call: McpContext, wanted?: Wanted): Effect.Effect<Features> => {
  const features = mount.source.featuresFor(call, wanted)
  if (wanted !== undefined) return features
  if (!isSuccess(features)) return Effect.tap(features, (all) => Effect.sync(() => void (mount.latest = all)))
  mount.latest = features.value
  return features
}

/** The combinations that begin with the same arrays, as long as each of these is there: one list may be large. */
interface Combined {
  offer: Offer | undefined
  readonly next: WeakMap<object, Combined>
}

const nothing = (): Combined => ({ offer: undefined, next: new WeakMap() })

/** How many combinations of all sources are kept: sessions whose lists differ are few at a time. */
const mostCombined = 64

/** The features of a source that nobody has asked, since none of them can be the one that is wanted. */
const unasked: Features = []

/** Why the log hears of a feature of a source that is not offered, or of a URI that is not read from it. @internal */
export type Reason = "taken" | "owned" | "linked"

/** @internal */
export class Mounts {
  /** Another array with each source that comes or goes. */
  #all: ReadonlyArray<Mount> = []
  #combined = nothing()
  /** The owners of URIs in an offer. */
  readonly #owners = new WeakMap<Offer, UriOwners<Mount>>()
  /** How many combinations have been made since all were forgotten. */
  #count = 0
  readonly #pageSize: number
  readonly #onTaken: (name: string, why: Reason) => void
  readonly #extendsTools: () => boolean
  /** The capabilities of sources that were mounted. */
  #declared: ServerCapabilities = {}
  /** The names of which the log has it that they are taken. */
  readonly #told = new Set<string>()

  /** `extendsTools` tells whether extensions of the server itself serve calls of tools. */
  constructor(pageSize: number, onTaken: (name: string, why: Reason) => void, extendsTools: () => boolean) {
    this.#pageSize = pageSize
    this.#onTaken = onTaken
    this.#extendsTools = extendsTools
  }

  /** Whether there is none, so that the server's own offer is all. */
  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  /** Whether there never was one that has declared anything. */
  get wasEmpty(): boolean {
    return this.isEmpty && Object.keys(this.#declared).length === 0
  }

  /** Mounts a source until the Scope closes. */
  add(source: FeatureSource, options: MountOptions, onChange: (list: Listed) => void) {
    return Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => {
        const mount: Mount = { source, options, mounted: mounting(options), latest: unasked }
        this.#all = [...this.#all, mount]
        for (const list of lists) onChange(list)
        return mount
      }),
      (mount) =>
        Effect.sync(() => {
          this.#all = this.#all.filter((one) => one !== mount)
          // A capability that was declared stays.
          this.#declared = { ...this.#declared, ...source.capabilities() }
          this.#combined = nothing()
          for (const list of lists) onChange(list)
        })
    ))
  }

  /**
   * All that is offered for a call, or at least what it is about. Only a source that can have that is waited for.
   */
  offerFor(call: McpContext, own: Offer, sought?: Sought): Effect.Effect<Offer> {
    const mounts = this.#all
    if (sought === undefined) return this.#offerOfAll(call, own)
    // Features of the server itself come first.
    if (sought.kind === "resource") return this.#offerAt(call, own, sought.uri)
    const { kind, name } = sought
    if ((kind === "tool" ? own.tools : own.prompts).has(name)) return Exit.succeed(own)
    const owners = ownersOfName(mounts, kind, name)
    return this.#asking(call, own, (mount) => owners.includes(mount), (mount) => innerOf(mount, sought))
  }

  #offerOfAll(call: McpContext, own: Offer): Effect.Effect<Offer> {
    return this.#asking(call, own, () => true, () => undefined)
  }

  /** The offer for a URI. The log hears of a source that has linked to it though it is another's. */
  #offerAt(call: McpContext, own: Offer, uri: string): Effect.Effect<Offer> {
    const offer = this.#askedAt(call, own, uri)
    if (this.#all.length <= 1 || this.linkedAt(uri) === undefined) return offer
    return Effect.map(offer, (offer) => {
      if (this.#owners.get(offer)?.isForeignLink(uri) === true) this.#tell(withoutQuery(uri), "linked")
      return offer
    })
  }

  /**
   * A source that has declared the URI is asked alone. One that lists it is not held up by others, but by one before it that
   * has listed it, too, and is read again.
   */
  #askedAt(call: McpContext, own: Offer, uri: string): Effect.Effect<Offer> {
    const mounts = this.#all
    const declarer = declarerOf(mounts, uri)
    if (declarer !== undefined) return this.#asking(call, own, (mount) => mount === declarer, () => undefined)
    const found = mounts.map((mount) => asked(mount, call))
    const known = found.map((features) => isSuccess(features) ? features.value : unasked)
    const offer = this.#combine(own, known)
    if (found.every(isSuccess) || own.resources.has(Uri.normalised(uri))) return Exit.succeed(offer)
    const latest = this.#combine(own, mounts.map(({ latest }) => latest))
    const lister = this.#owners.get(latest)?.listerOf(uri)
    return found.some((features, index) => isSuccess(features) && mounts[index] === lister)
      ? Exit.succeed(offer)
      : this.#offerOfAll(call, own)
  }

  #asking(
    call: McpContext,
    own: Offer,
    isAsked: (mount: Mount) => boolean,
    wanted: (mount: Mount) => Wanted | undefined
  ): Effect.Effect<Offer> {
    const mounts = this.#all
    const found = mounts.map((mount) => isAsked(mount) ? asked(mount, call, wanted(mount)) : Exit.succeed(unasked))
    const known = found.filter(isSuccess)
    return known.length === found.length
      ? Exit.succeed(this.#combine(own, known.map(({ value }) => value)))
      : Effect.flatMap(Effect.all(found, { concurrency: "unbounded" }), (parts) =>
        // Features that were read before a source came or went are of other sources.
        this.#all === mounts
          ? Exit.succeed(this.#combine(own, parts))
          : this.#asking(call, own, (mount) => !mounts.includes(mount) || isAsked(mount), wanted))
  }

  /** A tool of a source, by its name here. */
  tool(name: string): ToolInfo | undefined {
    for (const { options: { prefix = "" }, source } of ownersOfName(this.#all, "tool", name)) {
      const tool = name.startsWith(prefix) ? source.tool(name.slice(prefix.length)) : undefined
      if (tool !== undefined) return tool
    }
    return undefined
  }

  /** Whether the features are the same for all callers, beside what each says of itself. */
  get isSame(): boolean {
    return this.#all.every(({ source }) => source.isSame?.() === true)
  }

  /** Whether a source cannot be asked now what it has: the one that has declared a URI, or else any. */
  isAway(uri?: string): boolean {
    const declarer = uri === undefined ? undefined : declarerOf(this.#all, uri)
    return (declarer === undefined ? this.#all : [declarer]).some(({ source }) => source.isAway?.() === true)
  }

  /** The mount that has a URI in an offer; `undefined` where only the server itself may. */
  ownerOf(offer: Offer, uri: string): object | undefined {
    return this.#owners.get(offer)?.of(uri)
  }

  /** When a source has referred to a URI, as sources say it. */
  linkedAt(uri: string): number | undefined {
    const all = this.#all.flatMap(({ source }) => source.linkedAt?.(uri) ?? [])
    return all.length === 0 ? undefined : Math.min(...all)
  }

  /** The keys of the services that handlers read of their callers: those of the sources, and of the server itself. */
  principals(own: ReadonlySet<string>): ReadonlySet<string> {
    return new Set([...own, ...this.#all.flatMap(({ source }) => [...source.principals?.() ?? []])])
  }

  /** The capabilities of the sources, and those of the server itself. */
  capabilities(own: ServerCapabilities): ServerCapabilities {
    return this.#all.reduce((all, { source }) => ({ ...source.capabilities(), ...all }), { ...this.#declared, ...own })
  }

  #combine(own: Offer, parts: ReadonlyArray<Features>): Offer {
    const known = this.#at(own, parts)
    if (known.offer !== undefined) return known.offer
    const offer = this.#offerOf(own, parts)
    // Beside each combination of all sources, there is one of each source alone.
    if (++this.#count > mostCombined * (parts.length + 1)) {
      this.#combined = nothing()
      this.#count = 1
    }
    this.#at(own, parts).offer = offer
    return offer
  }

  #at(own: Offer, parts: ReadonlyArray<Features>): Combined {
    let combined = this.#combined
    for (const key of [own, ...parts]) {
      const known = combined.next.get(key)
      const next = known ?? nothing()
      if (known === undefined) combined.next.set(key, next)
      combined = next
    }
    return combined
  }

  #offerOf(own: Offer, parts: ReadonlyArray<Features>): Offer {
    const mounts = this.#all
    const all: Array<Bound> = [...own.all]
    const taken = new Set(all.map(nameOf))
    const extendsTools = this.#extendsTools()
    const mounted = new Map(mounts.map((mount, index) => [mount, mount.mounted(parts[index] ?? unasked)]))
    const uris = new UriOwners(mounts, (mount) => mounted.get(mount) ?? unasked)
    const offer = (mount: Mount, feature: Feature) => {
      const bound = guarded(boundOf(extendsTools ? withoutExecution(feature) : feature), mount, uris)
      const name = nameOf(bound)
      // Another source may answer for the URI by a template: a refusal must not stand before it.
      if (feature.isRefused === true && "uri" in feature.info && uris.of(feature.info.uri) !== mount) return
      const why = !isOwn(mounts, mount, feature) ? "owned" : taken.has(name) ? "taken" : undefined
      // Of two with one name, only the first can be called.
      if (why !== undefined && feature.listed !== false) this.#tell(name, why)
      if (why !== undefined) return
      taken.add(name)
      all.push(bound)
    }
    // A feature whose calls are refused takes no name from one that can be called.
    for (const isRefused of [false, true]) {
      for (const [mount, features] of mounted) {
        for (const feature of features) if ((feature.isRefused === true) === isRefused) offer(mount, feature)
      }
    }
    const made = new Offer(all, this.#pageSize, own.capabilities, this.isSame)
    this.#owners.set(made, uris)
    return made
  }

  #tell(name: string, why: Reason) {
    // A name is as long as its source likes.
    const key = Excerpt.line(name)
    if (this.#told.has(key) || this.#told.size >= mostTold) return
    this.#told.add(key)
    this.#onTaken(name, why)
  }
}

/** The wanted features, in the names of a source. A `select` may give any names. */
const innerOf = ({ options: { owns, prefix = "", select } }: Mount, { kind, name }: Wanted): Wanted | undefined =>
  owns === undefined && select === undefined ? { kind, name: name.slice(prefix.length) } : undefined

/** Whether no other source owns the name or the URI of a feature. */
const isOwn = (mounts: ReadonlyArray<Mount>, mount: Mount, feature: Feature): boolean => {
  if (mounts.length === 1) return true
  switch (feature._tag) {
    case "McpTool":
      return ownersOfName(mounts, "tool", feature.info.name).includes(mount)
    case "McpPrompt":
      return ownersOfName(mounts, "prompt", feature.info.name).includes(mount)
    case "McpResource":
      return (declarerOf(mounts, feature.info.uri) ?? mount) === mount
    case "McpResourceTemplate":
      return (declarerOf(mounts, feature.info.uriTemplate) ?? mount) === mount
  }
}

/** A template fits only what is its source's. */
const guarded = (bound: Bound, mount: Mount, uris: UriOwners<Mount>): Bound => {
  if (!("complete" in bound) || "get" in bound) return bound
  const { match } = bound.feature
  return {
    ...bound,
    feature: {
      ...bound.feature,
      match: (uri) => {
        const variables = match(uri)
        return variables !== undefined && uris.of(uri) === mount ? variables : undefined
      }
    }
  }
}

/** A query may hold a secret that no log should have. */
const withoutQuery = (uri: string): string => uri.split(/[?#]/, 1)[0] ?? ""

/** How many names the log has that are taken: a server behind this one may list new ones for ever. */
const mostTold = 1_024

/** Without `execution`: clients look at it where the server has tasks, and calls of this tool are none here. */
const withoutExecution = (feature: Feature): Feature =>
  feature._tag === "McpTool" ? { ...feature, info: omit(feature.info, "execution") } : feature

const boundOf = memoize((feature: Feature): Bound => bind(feature, Context.empty()))

/** The features of an array as they are offered, made once for each array. */
const mounting = ({ prefix = "", select }: MountOptions): Mount["mounted"] => {
  if (prefix === "" && select === undefined) return (features) => features
  const one = (feature: Feature) => {
    const named = prefixed(feature, prefix)
    return select === undefined ? named : select(named)
  }
  return memoize((features) => features.flatMap((feature) => one(feature) ?? []))
}

const prefixed = (feature: Feature, prefix: string): Feature => {
  switch (feature._tag) {
    case "McpTool":
      return { ...feature, info: { ...feature.info, name: prefix + feature.info.name } }
    case "McpPrompt":
      return { ...feature, info: { ...feature.info, name: prefix + feature.info.name } }
    default:
      return feature
  }
}

const exported = new WeakMap<Offer, Features>()

/** The features of an offer, for a server that mounts this one: each is as visible there as it is here. @internal */
export const featuresOf = (
  offer: Offer,
  visible: ((feature: Feature, call: McpContext) => boolean | Effect.Effect<boolean>) | undefined
): Features => {
  const known = exported.get(offer)
  if (known !== undefined) return known
  const features = offer.all.map((bound) => {
    const feature = unbound(bound)
    return visible === undefined ? feature : {
      ...feature,
      visible: (call: McpContext) => both(feature.visible?.(call) ?? true, visible(feature, call))
    }
  })
  exported.set(offer, features)
  return features
}

const both = (
  a: boolean | Effect.Effect<boolean>,
  b: boolean | Effect.Effect<boolean>
): boolean | Effect.Effect<boolean> => {
  if (a === true) return b
  if (a === false) return false
  return Effect.flatMap(a, (a) => a && b !== false ? (b === true ? Exit.succeed(true) : b) : Exit.succeed(false))
}

/** A feature that needs no services any more. The extensions of a tool are those of its own server. */
const unbound = (bound: Bound): Feature => {
  if ("serve" in bound) {
    const { extensions: _, ...feature } = bound.feature
    return { ...feature, bind: () => bound.serve }
  }
  if ("get" in bound) return { ...bound.feature, bind: () => bound.get, complete: always(bound.complete) }
  if ("complete" in bound) return { ...bound.feature, bind: () => bound.read, complete: always(bound.complete) }
  return { ...bound.feature, bind: () => bound.read }
}

const always = <A>(value: A | undefined): (() => A) | undefined => value === undefined ? undefined : () => value
