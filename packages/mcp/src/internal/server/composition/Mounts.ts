/**
 * The sources that a server has mounted, and the offer that they make together with its own features.
 *
 * Sources give the same array as long as their features are the same, so an offer, with its encoded lists, is made once
 * for each combination of arrays.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { McpContext } from "../../../McpContext.ts"
import type { ServerCapabilities } from "../../../payload/Capabilities.ts"
import type { ToolInfo } from "../../../payload/Listing.ts"
import type { Feature } from "../../../server/Feature.ts"
import type { FeatureSource, MountOptions } from "../../../server/FeatureSource.ts"
import { type Listed, lists } from "../../../server/ServerChanges.ts"
import { omit } from "../../Json.ts"
import { isSuccess } from "../definition/handler.ts"
import { bind, type Bound, nameOf, Offer } from "../definition/Offer.ts"

type Features = ReadonlyArray<Feature>

interface Mount {
  readonly source: FeatureSource
  readonly prefix: string
  /** The features of the source as this server offers them. */
  readonly mounted: (features: Features) => Features
}

/** The combinations that begin with the same arrays, as long as each of these is there: one list may be large. */
interface Combined {
  offer: Offer | undefined
  readonly next: WeakMap<object, Combined>
}

const nothing = (): Combined => ({ offer: undefined, next: new WeakMap() })

/** How many combinations are kept: sessions whose lists differ are few at a time. */
const mostCombined = 64

/** @internal */
export class Mounts {
  /** Another array with each source that comes or goes. */
  #all: ReadonlyArray<Mount> = []
  #combined = nothing()
  /** How many combinations have been made since all were forgotten. */
  #count = 0
  readonly #pageSize: number
  readonly #onTaken: (name: string) => void
  #wasUsed = false
  /** The capabilities of sources that were mounted. */
  #declared: ServerCapabilities = {}
  /** The names of which the log has it that they are taken. */
  readonly #told = new Set<string>()

  constructor(pageSize: number, onTaken: (name: string) => void) {
    this.#pageSize = pageSize
    this.#onTaken = onTaken
  }

  /** Whether there is none, so that the server's own offer is all. */
  get isEmpty(): boolean {
    return this.#all.length === 0
  }

  /** Whether there never was one. */
  get wasEmpty(): boolean {
    return !this.#wasUsed
  }

  /** Mounts a source until the Scope closes. */
  add(
    source: FeatureSource,
    options: MountOptions,
    onChange: (list: Listed) => void
  ): Effect.Effect<void, never, Scope.Scope> {
    return Effect.asVoid(Effect.acquireRelease(
      Effect.sync(() => {
        const mount: Mount = { source, prefix: options.prefix ?? "", mounted: mounting(options) }
        this.#all = [...this.#all, mount]
        this.#wasUsed = true
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

  /** All that is offered for a call. */
  offerFor(call: McpContext, own: Offer): Effect.Effect<Offer> {
    const mounts = this.#all
    const found = mounts.map(({ source }) => source.featuresFor(call))
    const known = found.filter(isSuccess)
    return known.length === found.length
      ? Exit.succeed(this.#combine(own, known.map(({ value }) => value)))
      : Effect.flatMap(Effect.all(found, { concurrency: "unbounded" }), (parts) =>
        // Features that were read before a source came or went are of other sources.
        this.#all === mounts ? Exit.succeed(this.#combine(own, parts)) : this.offerFor(call, own))
  }

  /** A tool of a source, by its name here. */
  tool(name: string): ToolInfo | undefined {
    for (const { prefix, source } of this.#all) {
      const tool = name.startsWith(prefix) ? source.tool(name.slice(prefix.length)) : undefined
      if (tool !== undefined) return tool
    }
    return undefined
  }

  /** The capabilities of the sources, and those of the server itself. */
  capabilities(own: ServerCapabilities): ServerCapabilities {
    return this.#all.reduce((all, { source }) => ({ ...source.capabilities(), ...all }), { ...this.#declared, ...own })
  }

  #combine(own: Offer, parts: ReadonlyArray<Features>): Offer {
    const known = this.#at(own, parts)
    if (known.offer !== undefined) return known.offer
    const offer = this.#offerOf(own, parts)
    if (++this.#count > mostCombined) {
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
    const all: Array<Bound> = [...own.all]
    const taken = new Set(all.map(nameOf))
    const hasTasks = own.capabilities.tasks !== undefined
    for (const [index, part] of parts.entries()) {
      for (const feature of this.#all[index]?.mounted(part) ?? []) {
        const bound = boundOf(hasTasks ? withoutTasks(feature) : feature)
        const name = nameOf(bound)
        // Of two with one name, only the first can be called.
        if (taken.has(name) && feature.listed !== false) this.#tell(name)
        if (taken.has(name)) continue
        taken.add(name)
        all.push(bound)
      }
    }
    return new Offer(all, this.#pageSize, own.capabilities)
  }

  #tell(name: string) {
    if (this.#told.has(name) || this.#told.size >= mostTold) return
    this.#told.add(name)
    this.#onTaken(name)
  }
}

/** How many names the log has that are taken: a server behind this one may list new ones for ever. */
const mostTold = 1_024

/** Without `execution`: clients look at it where the server has tasks, and calls of this tool are none here. */
const withoutTasks = (feature: Feature): Feature =>
  feature._tag === "McpTool" ? { ...feature, info: omit(feature.info, "execution") } : feature

const bounds = new WeakMap<Feature, Bound>()

const boundOf = (feature: Feature): Bound => {
  const known = bounds.get(feature)
  if (known !== undefined) return known
  const bound = bind(feature, Context.empty())
  bounds.set(feature, bound)
  return bound
}

/** The features of an array as they are offered, made once for each array. */
const mounting = ({ prefix = "", select }: MountOptions): Mount["mounted"] => {
  if (prefix === "" && select === undefined) return (features) => features
  const made = new WeakMap<Features, Features>()
  const one = (feature: Feature) => {
    const named = prefixed(feature, prefix)
    return select === undefined ? named : select(named)
  }
  return (features) => {
    const known = made.get(features)
    if (known !== undefined) return known
    const mounted = features.flatMap((feature) => one(feature) ?? [])
    made.set(features, mounted)
    return mounted
  }
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

/** A feature that needs no services any more. Its calls are no tasks: those run in the server that it is of. */
const unbound = (bound: Bound): Feature => {
  if ("serve" in bound) {
    const { task: _, ...feature } = bound.feature
    return { ...feature, bind: () => bound.serve }
  }
  if ("get" in bound) return { ...bound.feature, bind: () => bound.get, complete: always(bound.complete) }
  if ("complete" in bound) return { ...bound.feature, bind: () => bound.read, complete: always(bound.complete) }
  return { ...bound.feature, bind: () => bound.read }
}

const always = <A>(value: A | undefined): (() => A) | undefined => value === undefined ? undefined : () => value
