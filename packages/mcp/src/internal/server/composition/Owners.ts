/**
 * The owners of names and URIs among the sources that are mounted into one server, so that none can take another's.
 *
 * - A name of a tool or prompt is one of the source with the longest prefix that it begins with.
 * - A URI is one of a single source. The first of these rules that names a source counts: a source has declared the
 *   beginning of the URI, the longest beginning first; a source lists the URI; there is only one source; a source has a
 *   template that fits and fixes an authority or the beginning of a path, the longest beginning first; a source has linked
 *   to the URI in a result, the earliest first; a source has a template that fixes only a scheme and fits, the longest
 *   beginning first; a single source lists URIs of the same scheme and authority; a single source lists URIs of the same
 *   scheme. A URI that no rule names is no source's, and no source hears of it.
 *
 * A template that fixes an authority or a path comes before links, because it is a definition, which people may have
 * approved, and a result may link to anything. One that fixes only a scheme comes after them: it would have all links of
 * others. A feature that is refused names its source only where no claim of another does: a listing before the last two
 * rules, which only guess, and a template after them.
 */
import type { Feature } from "../../../server/Feature.ts"
import type { FeatureSource, MountOptions } from "../../../server/FeatureSource.ts"
import * as Uri from "../../../shared/Uri.ts"
import * as UriTemplate from "../feature/uriTemplate.ts"

/** The names of features, which may have a prefix. @internal */
export type NamedKind = "tool" | "prompt"

/** The parts of a mount that decide what it owns. */
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

/** The source that the rules name for a URI, before and after what links say, which may change. */
interface Ruled<A> {
  readonly given: string
  readonly uri: string
  readonly before: A | undefined
  readonly after: A | undefined
}

/** The owners of URIs, for the features that the mounts have at a moment. */
export class UriOwners<A extends Owner> {
  readonly #all: ReadonlyArray<A>
  readonly #offered: Claims<A>
  readonly #refused: Claims<A>
  /** The rules before links, and those after them, for one URI: each template that fits it asks who owns it. */
  #last: Ruled<A> | undefined = undefined

  constructor(all: ReadonlyArray<A>, featuresOf: (mount: A) => ReadonlyArray<Feature>) {
    this.#all = all
    const claims = (isRefused: boolean) =>
      new Claims(all, (mount) => featuresOf(mount).filter((feature) => (feature.isRefused === true) === isRefused))
    this.#offered = claims(false)
    this.#refused = claims(true)
  }

  of(given: string): A | undefined {
    const [only] = this.#all
    if (this.#last?.given !== given) {
      const uri = Uri.normalised(given)
      const before = declarerOf(this.#all, uri) ?? this.#offered.listed(uri) ??
        (this.#all.length === 1 ? only : undefined) ?? this.#offered.narrow(uri)
      const after = before ?? this.#offered.wide(uri) ?? this.#refused.listed(uri) ?? this.#offered.alone(uri) ??
        this.#refused.narrow(uri) ?? this.#refused.wide(uri) ?? this.#refused.alone(uri)
      this.#last = { given, uri, before, after }
    }
    const { after, before, uri } = this.#last
    return before ?? linkerOf(this.#all, uri) ?? after
  }

  /** The source that lists a URI, where that is not refused. */
  listerOf(uri: string): A | undefined {
    return this.#offered.listed(Uri.normalised(uri))
  }

  /** Whether a source has linked to a URI that is another's. */
  isForeignLink(uri: string): boolean {
    const linker = linkerOf(this.#all, uri)
    return linker !== undefined && this.of(uri) !== linker
  }
}

/** The URIs that features claim for their mounts. */
class Claims<A> {
  readonly #listed = new Map<string, A>()
  /** The templates that fix an authority or the beginning of a path, and those that fix only a scheme. */
  readonly #narrow: Array<Head<A>> = []
  readonly #wide: Array<Head<A>> = []
  /** The mounts that use a scheme, and an authority of it. */
  readonly #spaces = new Map<string, Set<A>>()

  constructor(all: ReadonlyArray<A>, featuresOf: (mount: A) => ReadonlyArray<Feature>) {
    for (const owner of all) for (const feature of featuresOf(owner)) this.#add(owner, feature)
    for (const heads of [this.#narrow, this.#wide]) heads.sort((a, b) => b.text.length - a.text.length)
  }

  listed(uri: string): A | undefined {
    return this.#listed.get(uri)
  }

  narrow(uri: string): A | undefined {
    return this.#narrow.find(({ match }) => match(uri) !== undefined)?.owner
  }

  wide(uri: string): A | undefined {
    return this.#wide.find(({ match }) => match(uri) !== undefined)?.owner
  }

  /** A guess: the only mount that uses the scheme and authority, or the scheme. */
  alone(uri: string): A | undefined {
    for (const space of spacesOf(uri)) {
      const users = this.#spaces.get(space)
      if (users === undefined) continue
      const [first] = users
      return users.size === 1 ? first : undefined
    }
    return undefined
  }

  #add(owner: A, feature: Feature) {
    if (feature._tag === "McpResource") {
      const uri = Uri.normalised(feature.info.uri)
      if (!this.#listed.has(uri)) this.#listed.set(uri, owner)
      this.#use(owner, uri)
    } else if (feature._tag === "McpResourceTemplate") {
      const template = UriTemplate.normalised(feature.info.uriTemplate)
      const [text = ""] = template.split("{")
      if (!scheme.test(text)) return
      const heads = isNarrow(text, template.slice(text.length)) ? this.#narrow : this.#wide
      heads.push({ owner, text, match: feature.match })
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
}

/**
 * Whether a template fixes a whole authority or the beginning of a path. Where it ends inside of an authority, as
 * `https://e{+rest}` does, it fits every host that begins so.
 */
const isNarrow = (text: string, rest: string): boolean => {
  const [, slashes = "", host = "", path = ""] = fixed.exec(text) ?? []
  if (slashes !== "//" || host === "") return host !== "" || /[^/]/.test(path)
  return path !== "" || rest === "" || /^\{[/?#]/.test(rest)
}

/** Behind the scheme: the slashes of an authority, the authority or the first part of a path, and all that follows. */
// linear: anchored, and the last part takes whatever is left.
const fixed = /^[a-z][a-z\d+.-]*:(\/\/)?([^/?#]*)(.*)$/is

const scheme = /^[a-z][a-z\d+.-]*:/i

const authority = /^[a-z][a-z\d+.-]*:\/\/[^/?#]+/i

/** The scheme of a URI with its authority, and the scheme; both in lower case. */
const spacesOf = (uri: string): ReadonlyArray<string> =>
  [authority, scheme].flatMap((part) => part.exec(uri)?.[0].toLowerCase() ?? [])
