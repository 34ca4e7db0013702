/**
 * The owners of names and URIs among the sources that are mounted into one server, so that none can take another's.
 *
 * - A name of a tool or prompt is one of the source with the longest prefix that it begins with.
 * - A URI is one of a single source. The first of these rules that names a source counts: a source has declared the
 *   beginning of the URI, the longest beginning first; a source lists the URI; there is only one source; a source has a
 *   template that begins with more than a scheme and fits, the longest beginning first; a source has linked to the URI in a
 *   result, the earliest first; a source has a template that begins with a scheme and fits; a single source lists URIs of
 *   the same scheme and authority; a single source lists URIs of the same scheme. A URI that no rule names is no source's,
 *   and no source hears of it. A template is before a link, because it is a definition, which people may have approved.
 */
import type { Feature } from "../../../server/Feature.ts"
import type { FeatureSource, MountOptions } from "../../../server/FeatureSource.ts"
import * as Uri from "../../Uri.ts"

/** The names of features, which may have a prefix. @internal */
export type NamedKind = "tool" | "prompt"

/** The parts of a mount that decide what it owns. @internal */
export interface Owner {
  readonly source: FeatureSource
  readonly options: MountOptions
}

/** The mounts that may have a name, by their order. @internal */
export const ownersOfName = <A extends Owner>(
  all: ReadonlyArray<A>,
  kind: NamedKind,
  name: string
): ReadonlyArray<A> => {
  const able = all.filter(({ options: { owns, prefix = "", select } }) =>
    owns !== undefined ? owns(kind, name) : select !== undefined || name.startsWith(prefix)
  )
  // A feature that `select` renames has any name that its author wants.
  const longest = Math.max(0, ...able.map(({ options }) => isPlain(options) ? lengthOf(options) : 0))
  return able.filter(({ options }) => !isPlain(options) || lengthOf(options) === longest)
}

const isPlain = ({ owns, select }: MountOptions): boolean => owns === undefined && select === undefined

const lengthOf = ({ prefix = "" }: MountOptions): number => prefix.length

/** The mount that has declared the beginning of a URI. @internal */
export const declarerOf = <A extends Owner>(all: ReadonlyArray<A>, uri: string): A | undefined => {
  let found: A | undefined = undefined
  let longest = -1
  if (all.every(({ options }) => options.uris === undefined)) return undefined
  const text = Uri.normalised(uri)
  for (const one of all) {
    for (const given of one.options.uris ?? []) {
      const beginning = Uri.lowered(Uri.encoded(given))
      if (beginning.length <= longest || !text.startsWith(beginning)) continue
      found = one
      longest = beginning.length
    }
  }
  return found
}

/** The mount that has linked to a URI before all others. @internal */
export const linkerOf = <A extends Owner>(all: ReadonlyArray<A>, uri: string): A | undefined => {
  let found: A | undefined = undefined
  let earliest = Infinity
  for (const one of all) {
    const at = one.source.linkedAt?.(uri) ?? Infinity
    if (at >= earliest) continue
    found = one
    earliest = at
  }
  return found
}

/** A template, by the text before its first variable. */
interface Head<A> {
  readonly owner: A
  readonly text: string
  readonly match: (uri: string) => unknown
}

/** The owners of URIs, for the features that the mounts have at a moment. @internal */
export class UriOwners<A extends Owner> {
  readonly #all: ReadonlyArray<A>
  readonly #listed = new Map<string, A>()
  readonly #heads: Array<Head<A>> = []
  /** The mounts that use a scheme, and an authority of it. */
  readonly #spaces = new Map<string, Set<A>>()

  constructor(all: ReadonlyArray<A>, featuresOf: (mount: A) => ReadonlyArray<Feature>) {
    this.#all = all
    for (const owner of all) for (const feature of featuresOf(owner)) this.#add(owner, feature)
    this.#heads.sort((a, b) => b.text.length - a.text.length)
  }

  of(given: string): A | undefined {
    const uri = Uri.normalised(given)
    const [only] = this.#all
    const known = declarerOf(this.#all, uri) ?? this.#listed.get(uri) ?? (this.#all.length === 1 ? only : undefined)
    if (known !== undefined) return known
    const head = this.#heads.find(({ match }) => match(uri) !== undefined)
    // A template of a whole scheme would have every link with it.
    return head !== undefined && beyondScheme.test(head.text)
      ? head.owner
      : linkerOf(this.#all, uri) ?? head?.owner ?? this.#alone(uri)
  }

  #add(owner: A, feature: Feature) {
    if (feature._tag === "McpResource") {
      const uri = Uri.normalised(feature.info.uri)
      if (!this.#listed.has(uri)) this.#listed.set(uri, owner)
      this.#use(owner, uri)
    } else if (feature._tag === "McpResourceTemplate") {
      const [text = ""] = feature.info.uriTemplate.split("{")
      if (!scheme.test(text)) return
      this.#heads.push({ owner, text, match: feature.match })
      const [space = ""] = scheme.exec(text) ?? []
      // An authority is whole where a path has begun.
      this.#use(owner, text.indexOf("/", space.length + "//".length) > 0 ? text : space)
    }
  }

  #use(owner: A, uri: string) {
    for (const space of spacesOf(uri)) {
      const users = this.#spaces.get(space) ?? new Set()
      this.#spaces.set(space, users.add(owner))
    }
  }

  #alone(uri: string): A | undefined {
    for (const space of spacesOf(uri)) {
      const users = this.#spaces.get(space)
      if (users === undefined) continue
      const [first] = users
      return users.size === 1 ? first : undefined
    }
    return undefined
  }
}

const scheme = /^[a-z][a-z\d+.-]*:/i

/** A text that has a whole authority, or a part of a path, behind its scheme. */
const beyondScheme = /^[a-z][a-z\d+.-]*:(?:\/\/[^/?#]+\/|\/\/\/[^/]|(?!\/\/).)/i

const authority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]+/i

/** The scheme of a URI with its authority, and the scheme; both in lower case. */
const spacesOf = (uri: string): ReadonlyArray<string> =>
  [authority, scheme].flatMap((part) => part.exec(uri)?.[0].toLowerCase() ?? [])
