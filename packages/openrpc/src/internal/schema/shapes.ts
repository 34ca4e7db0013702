/**
 * What is asked of one value: parts that all have to fit, or alternatives. The
 * alternatives of a schema are brought to the top, each with what stands beside
 * them, because what is read for one alternative has to hold all members.
 */
import type { Path } from "./places.ts"
import { nameOf, within } from "./places.ts"
import type { Draft07 } from "./subschemas.ts"
import { isObject, without } from "./subschemas.ts"
import { isAbout, type Plain, plain } from "./vocabulary.ts"

/** A schema without those that are asked of the same value. @internal */
export interface Part extends Plain {
  readonly source: Draft07
  readonly path: Path
  /** A component that the value has to fit, too. */
  readonly reference: string | undefined
}

/** @internal */
export type Shape =
  | { readonly _tag: "All"; readonly parts: ReadonlyArray<Part> }
  | {
    readonly _tag: "Any"
    readonly mode: "anyOf" | "oneOf"
    readonly about: Draft07
    /** The place of the outermost of them. */
    readonly path: Path
    /** What is asked beside the alternatives, and is not checked. */
    readonly lost: ReadonlyArray<Part>
    readonly members: ReadonlyArray<Shape>
  }

/** @internal */
export interface Shapes {
  readonly of: (schema: unknown, path: Path) => Shape
  readonly ofComponent: (name: string) => Shape
  /** Whether the reading of a schema keeps every member and item of a value. */
  readonly isLossless: (schema: unknown) => boolean
  /** Whether a component holds itself. */
  readonly isRecursive: (name: string) => boolean
  /** Whether a schema refers to a component that does, or whose members do. */
  readonly holdsRecursion: (schema: unknown) => boolean
}

/** So many alternatives one schema may have, with what stands beside them. */
const mostAlternatives = 64

/** Alternatives of one keyword. */
interface Choice {
  readonly mode: "anyOf" | "oneOf"
  readonly members: ReadonlyArray<Node>
}

/** A schema with those that are asked of the same value. */
interface Node {
  readonly part: Part
  readonly all: ReadonlyArray<Node>
  readonly choices: ReadonlyArray<Choice>
}

/** @internal */
export const make = (components: { readonly [name: string]: Draft07 }, keepsUnknown: boolean): Shapes => {
  const known = new Map<string, Shape>()
  const lossless = new WeakMap<object, boolean>()
  const recursive = new Map<string, boolean>()

  const nodeOf = (schema: unknown, path: Path): Node => {
    const source = objectOf(schema)
    const keywords = plain(source, isLossless, keepsUnknown)
    const { read } = keywords
    return {
      part: {
        ...keywords,
        read: without(read, ["$ref", "allOf", "anyOf", "oneOf"]),
        source,
        path,
        reference: typeof read["$ref"] === "string" ? nameOf(read["$ref"]) : undefined
      },
      all: membersOf(read, "allOf", path),
      choices: (["anyOf", "oneOf"] as const).flatMap((mode) =>
        Object.hasOwn(read, mode) ? [{ mode, members: membersOf(read, mode, path) }] : []
      )
    }
  }

  const membersOf = (schema: Draft07, keyword: string, path: Path): ReadonlyArray<Node> => {
    const members = schema[keyword]
    return Array.isArray(members)
      ? members.map((member, index) => nodeOf(member, within(path, keyword, `${index}`)))
      : []
  }

  const ofComponent = (name: string): Shape => {
    const found = known.get(name)
    if (found !== undefined) return found
    // No component refers to itself for the same value; where one does, it is refused later.
    known.set(name, { _tag: "All", parts: [] })
    const shape = of(components[name], ["components", "schemas", name])
    known.set(name, shape)
    return shape
  }

  const of = (schema: unknown, path: Path): Shape => {
    const node = nodeOf(schema, path)
    const alternatives = count(node)
    return alternatives > mostAlternatives ? { _tag: "All", parts: [tooMany(node)] } : distributed([node])
  }

  const count = ({ all, choices, part }: Node): number =>
    [...all.map(count), ...choices.map(({ members }) => members.map(count).reduce((sum, each) => sum + each, 0))]
      .reduce((product, each) => product * Math.max(each, 1), part.reference === undefined ? 1 : inner(part.reference))

  const inner = (name: string): number => {
    const shape = ofComponent(name)
    return shape._tag === "Any" ? leaves(shape) : 1
  }

  const distributed = (given: ReadonlyArray<Node>): Shape => {
    const flat = given.flatMap(flattened)
    const parts = flat.filter(({ part }) => says(part))
    const at = flat.findIndex(({ choices }) => choices.length > 0)
    const chosen = flat[at]
    if (chosen !== undefined) {
      const [choice, ...others] = chosen.choices
      if (choice !== undefined) {
        const rest: ReadonlyArray<Node> = flat.map((node, index) => index === at ? { ...node, choices: others } : node)
        const beside = rest.map(unsaid).filter((node) => node.choices.length > 0 || asks(node.part))
        return {
          _tag: "Any",
          mode: choice.mode,
          about: aboutOf(rest.map(({ part }) => part)),
          path: (rest[0] ?? chosen).part.path,
          lost: rest.flatMap(({ part }) =>
            Object.keys(part.unchecked).length > 0 || part.unknown.length > 0 ? [part] : []
          ),
          members: choice.members.map((member) => distributed([member, ...beside]))
        }
      }
    }
    // A component with alternatives is one of these, with what stands beside it.
    const open = parts.length < 2
      ? undefined
      : parts.find(({ part: { reference } }) => reference !== undefined && ofComponent(reference)._tag === "Any")
    if (open?.part.reference === undefined) return { _tag: "All", parts: parts.map(({ part }) => part) }
    const name = open.part.reference
    const target = nodeOf(components[name], ["components", "schemas", name])
    return distributed(
      parts.flatMap((node) =>
        node === open ? [target, { ...node, part: { ...node.part, reference: undefined } }] : [node]
      )
    )
  }

  const isLossless = (schema: unknown): boolean => {
    const source = objectOf(schema)
    const found = lossless.get(source)
    if (found !== undefined) return found
    // A recursive schema has more than one value.
    lossless.set(source, false)
    const keeps = ({ all, choices, part: { hidden, read, reference } }: Node): boolean => {
      const { additionalProperties, items, prefixItems } = read
      return hidden.length === 0 && !Object.hasOwn(read, "properties") && !Object.hasOwn(read, "patternProperties")
        && (reference === undefined || isLossless(components[reference]))
        && [items, additionalProperties, ...(Array.isArray(prefixItems) ? prefixItems : [])].every((inner) =>
          inner === undefined || isLossless(inner)
        )
        && [...all, ...choices.flatMap(({ members }) => members)].every(keeps)
    }
    const result = keeps(nodeOf(source, []))
    lossless.set(source, result)
    return result
  }

  /** Whether a schema, or what it refers to, refers to such a component. */
  const reaches = (schema: unknown, isGoal: (name: string) => boolean): boolean => {
    const seen = new Set<string>()
    const visit = (value: unknown): boolean => {
      if (Array.isArray(value)) return value.some(visit)
      if (!isObject(value)) return false
      const to = typeof value["$ref"] === "string" ? nameOf(value["$ref"]) : undefined
      if (to !== undefined && !seen.has(to)) {
        seen.add(to)
        if (isGoal(to) || visit(components[to])) return true
      }
      return Object.values(value).some(visit)
    }
    return visit(schema)
  }

  const isRecursive = (name: string): boolean => {
    const found = recursive.get(name) ?? reaches(components[name], (to) => to === name)
    recursive.set(name, found)
    return found
  }

  const holdsRecursion = (schema: unknown): boolean => reaches(schema, isRecursive)

  return { of, ofComponent, isLossless, isRecursive, holdsRecursion }
}

/** `true` and `false` are schemas. @internal */
export const objectOf = (schema: unknown): Draft07 => isObject(schema) ? schema : schema === false ? never : always

const always: Draft07 = {}
const never: Draft07 = { not: {} }

const flattened = (node: Node): ReadonlyArray<Node> => [{ ...node, all: [] }, ...node.all.flatMap(flattened)]

/** Whether anything is asked of a value. */
const asks = ({ hidden, isOpen, read, reference, unchecked }: Part): boolean =>
  reference !== undefined || isOpen || hidden.length > 0 || Object.keys(unchecked).length > 0
  || Object.keys(read).some((keyword) => !isAbout(keyword))

const says = (part: Part): boolean => asks(part) || Object.keys(part.read).length > 0 || part.unknown.length > 0

/** Without the annotations: those of the whole value stand beside the alternatives. */
const unsaid = (node: Node): Node => ({
  ...node,
  part: {
    ...node.part,
    read: without(node.part.read, Object.keys(node.part.read).filter(isAbout)),
    unchecked: {},
    taken: new Set(),
    unknown: []
  }
})

const aboutOf = (parts: ReadonlyArray<Part>): Draft07 =>
  // The outermost says it best, and comes first.
  Object.fromEntries(
    parts.toReversed().flatMap(({ read }) => Object.entries(read).filter(([keyword]) => isAbout(keyword)))
  )

const leaves = (shape: Shape): number =>
  shape._tag === "All" ? 1 : shape.members.reduce((sum, member) => sum + leaves(member), 0)

/** Its alternatives are not checked. */
const tooMany = ({ part }: Node): Part => {
  const taken = ["allOf", "anyOf", "oneOf"].filter((keyword) => Object.hasOwn(part.source, keyword))
  return {
    ...part,
    isOpen: true,
    taken: new Set([...part.taken, ...taken]),
    unchecked: { ...part.unchecked, ...Object.fromEntries(taken.map((keyword) => [keyword, part.source[keyword]])) },
    hidden: [
      ...part.hidden,
      ...taken.flatMap((keyword) => {
        const members = part.source[keyword]
        return Array.isArray(members) ? members.map((schema) => ({ schema, except: [] })) : []
      })
    ]
  }
}
