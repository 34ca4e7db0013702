/**
 * JSON Schemas in a form that Effect's importer reads without losing members.
 *
 * A Struct leaves out what it does not describe. So where a value is read by less
 * than all that is said of it, because a keyword cannot be checked or because it
 * fits several alternatives, the objects of that place keep all their members; and
 * where that does not help, nothing is checked there at all.
 */
import * as Facts from "./facts.ts"
import type { Path } from "./places.ts"
import { pointer, referenceTo, within } from "./places.ts"
import type { Part, Shape } from "./shapes.ts"
import * as Shapes from "./shapes.ts"
import type { Draft07 } from "./subschemas.ts"
import { isObject, mapValues, without } from "./subschemas.ts"
import * as Unchecked from "./unchecked.ts"
import * as Vocabulary from "./vocabulary.ts"

const { isAbout } = Vocabulary

/** What a schema says and its reading does not check. @internal */
export interface Loss {
  readonly path: string
  readonly issue: string
}

/** @internal */
export interface Lossless {
  readonly schemas: ReadonlyArray<Draft07>
  readonly components: { readonly [name: string]: Draft07 }
  readonly losses: ReadonlyArray<Loss>
  /** Where components that hold themselves meet others: Effect's importer may not find an end of that. */
  readonly endless: ReadonlySet<string>
  /** The patterns that `pattern` and `patternProperties` stand for. */
  readonly patterns: ReadonlyArray<string>
  /** Where the innermost value stands on a path into the schemas or the components. */
  readonly locate: (root: "schemas" | "components", path: Path) => string | undefined
}

/** A schema, and where it stands. @internal */
export interface Located {
  readonly schema: unknown
  readonly path: Path
}

type Components = { readonly [name: string]: Draft07 }

/** Members beside the properties are there, and are any JSON. @internal */
export const rest = "x-parley-rest"

const kept: Draft07 = { [rest]: true }

/** The same, where the schema takes none. */
const loosened: Draft07 = { [rest]: "loosened" }

/** Stands for a pattern, which the importer would run: it matches every text at once. */
const placeholder = (index: number): string => `(?:x-parley-pattern-${index})?`

/** @internal */
export const patternOf = (source: string, patterns: ReadonlyArray<string>): string =>
  patterns[Number(/^\(\?:x-parley-pattern-(\d+)\)\?$/.exec(source)?.[1])] ?? source

/** Nothing is checked at `opaque` places. `keepsUnknown` tells whether members that no keyword describes stay. @internal */
export const make = (
  schemas: ReadonlyArray<Located>,
  components: Components,
  opaque: ReadonlySet<string>,
  keepsUnknown: boolean
): Lossless => {
  const shapes = Shapes.make(components, keepsUnknown)
  const facts = Facts.make(shapes)
  const known: Known = { opaque: new Set(opaque), inexact: new Set() }
  for (;;) {
    const before = known.opaque.size + known.inexact.size
    const pass = makePass(schemas, components, shapes, facts, known)
    addInexact(pass.components, known.inexact)
    // Each pass may find places that make others unchecked; the last one finds none.
    if (known.opaque.size + known.inexact.size === before) return pass
  }
}

/** What only a whole pass can tell. */
interface Known {
  readonly opaque: Set<string>
  /** Components whose reading accepts more than they do. */
  readonly inexact: Set<string>
}

const makePass = (
  schemas: ReadonlyArray<Located>,
  components: Components,
  shapes: Shapes.Shapes,
  facts: Facts.Facts,
  known: Known
): Lossless => {
  const losses = new Map<string, Loss>()
  const numbers = new Map<string, number>()
  const patterns: Array<string> = []
  const endless = new Set<string>()
  const places = new WeakMap<object, string>()
  const written = new WeakMap<object, Draft07>()

  const lose = (path: Path, issue: string): void => {
    const loss = { path: pointer(path), issue }
    losses.set(JSON.stringify(loss), loss)
  }

  const unchecked = (path: Path, schema: Draft07, keywords: Iterable<string> = Object.keys(schema)): Draft07 => {
    if (Object.keys(schema).length === 0) return {}
    for (const keyword of keywords) lose(path, `${keyword} is not checked`)
    const key = pointer(path)
    const number = numbers.get(key) ?? numbers.size + 1
    numbers.set(key, number)
    return Unchecked.annotation(number, schema, components)
  }

  const location = (schema: unknown, path: Path): Draft07 => {
    const source = Shapes.objectOf(schema)
    const found = isObject(schema) ? written.get(source) : undefined
    if (found !== undefined) return found
    const shape = shapes.of(source, path)
    const place = pointer(path)
    const read = known.opaque.has(place) ? undefined : write(shape, false)
    if (read !== undefined && mixesRecursion(shape)) endless.add(place)
    if (read === undefined) known.opaque.add(place)
    const result = { ...read ?? nothing(source, path) }
    places.set(result, place)
    if (isObject(schema)) written.set(source, result)
    return result
  }

  const nothing = (source: Draft07, path: Path): Draft07 => {
    const about = Object.keys(source).filter(isAbout)
    return {
      ...said(path, Object.fromEntries(about.map((keyword) => [keyword, source[keyword]]))),
      ...unchecked(path, without(source, about))
    }
  }

  /** The schema without keywords about its value that are of another type, and with its place, where values have to fit it. */
  const said = (path: Path, schema: Draft07): Draft07 => {
    const misfits = Vocabulary.misfits(schema)
    for (const [keyword, expected] of misfits) lose(path, `${keyword} is not ${expected}, and is left out`)
    const left = misfits.length === 0 ? schema : without(schema, misfits.map(([keyword]) => keyword))
    return Vocabulary.hasValues(left) ? { ...left, [Vocabulary.at]: pointer(path) } : left
  }

  const isOpaque = ({ reference }: Part): boolean => reference !== undefined && known.opaque.has(referenceTo(reference))

  const mixesRecursion = (shape: Shape): boolean =>
    shape._tag === "Any"
      ? shape.members.some(mixesRecursion)
      : shape.parts.length > 1
        && (shape.parts.some(({ reference }) => reference !== undefined && shapes.isRecursive(reference))
          || shape.parts.filter(({ read }) => shapes.holdsRecursion(read)).length > 1)

  const hides = (shape: Shape): boolean =>
    shape._tag === "Any"
      ? shape.members.some(hides)
      : shape.parts.some(({ hidden, reference }) =>
        hidden.length > 0 || (reference !== undefined && hides(shapes.ofComponent(reference)))
      )

  /** `undefined` where the value cannot be read by less than all. */
  const write = (shape: Shape, isKept: boolean): Draft07 | undefined =>
    shape._tag === "All" ? writeAll(shape, isKept) : writeAny(shape, isKept)

  const writeAll = (shape: Shape & { readonly _tag: "All" }, isKept: boolean): Draft07 | undefined => {
    const { parts } = shape
    const [first, ...others] = parts
    if (first === undefined) return {}
    const isOnly = others.length === 0 && !isKept
    if (isOnly && first.reference !== undefined && !asksMore(first)) return writePart(first, false)
    if (parts.some(isOpaque)) return undefined
    if (!isKept && hides(shape)) return facts.disagree([shape]) ? undefined : writeAll(shape, true)
    const all = isKept ? parts.flatMap(inlined) : parts
    const needed = all.filter((part) => all.length === 1 || !isRedundant(part, all))
    const [one = first, ...more] = needed
    const begun = writePart(one, isKept)
    return more.length === 0 ? begun : { ...begun, allOf: more.map((part) => writePart(part, isKept)) }
  }

  /** With components in their places, which are not kept open where they stand. */
  const inlined = (part: Part): ReadonlyArray<Part> => {
    if (part.reference === undefined) return [part]
    const target = shapes.ofComponent(part.reference)
    const own = { ...part, reference: undefined }
    // One with alternatives has been brought to the top, unless it is alone.
    return target._tag === "Any" ? [part] : [...target.parts.flatMap(inlined), own]
  }

  /** A type beside what can have no other. */
  const isRedundant = (part: Part, all: ReadonlyArray<Part>): boolean => {
    if (part.reference !== undefined || part.isOpen || Object.keys(part.unchecked).length > 0) return false
    const keywords = Object.keys(part.read)
    if (keywords.length === 0) return true
    if (keywords.length > 1 || keywords[0] !== "type") return false
    const own = facts.types({ _tag: "All", parts: [part] })
    const others = facts.types({ _tag: "All", parts: all.filter((other) => other !== part) })
    return part.read["type"] !== "integer" && [...others].every((type) => own.has(type))
  }

  const writeAny = (shape: Shape & { readonly _tag: "Any" }, isKept: boolean): Draft07 | undefined => {
    const { lost, members, mode } = shape
    const about = Object.assign({}, said(shape.path, shape.about), ...lost.map(writeLost))
    const pairs = members.flatMap((one, index) => members.slice(index + 1).map((other) => [one, other] as const))
    const areApart = pairs.every(([one, other]) => facts.exclude(one, other))
    const read = (open: boolean): ReadonlyArray<Draft07> | undefined => {
      const all = members.map((member) => writeMember(member, open))
      const given = all.filter((member) => member !== undefined)
      return given.length < all.length ? undefined : given
    }
    const given = read(isKept)
    if (given === undefined) return undefined
    const isExact = lost.length === 0 && given.every((member) => isExactly(member, known.inexact))
    if (mode === "oneOf" && (isExact || (areApart && !given.some(isAnything)))) {
      return { ...about, oneOf: given }
    }
    if (areApart || isKept || !pairs.some(([one, other]) => facts.overlap(one, other))) {
      return { ...about, anyOf: given }
    }
    if (members.some((member) => member._tag === "All" && member.parts.some(isOpaque))) return undefined
    if (facts.disagree(members)) return undefined
    const open = read(true)
    return open === undefined ? undefined : { ...about, anyOf: open }
  }

  const writeMember = (shape: Shape, isKept: boolean): Draft07 | undefined => {
    const [part, ...others] = shape._tag === "All" ? shape.parts : []
    if (isKept && part?.reference !== undefined && others.length === 0) {
      const target = shapes.ofComponent(part.reference)
      if (target._tag === "Any" && !asksMore(part)) return write(target, true)
    }
    return write(shape, isKept)
  }

  const isAnything = (schema: Draft07): boolean => {
    const reference = schema["$ref"]
    return Unchecked.isWhole(schema) || (typeof reference === "string" && known.opaque.has(reference))
  }

  const writeLost = ({ path, taken, unchecked: lost, unknown }: Part): Draft07 => {
    for (const keyword of unknown) lose(path, `${keyword} is no keyword of JSON Schema, and is left out`)
    return unchecked(path, lost, taken)
  }

  const writePart = (given: Part, isKept: boolean): Draft07 => {
    const part = isKept ? withoutPatterns(given) : given
    const { path, read, reference, source } = part
    const place = (keyword: string): string =>
      Object.hasOwn(source, keyword) && !(keyword === "items" && Array.isArray(source["items"]))
        ? keyword
        : keyword === "prefixItems"
        ? "items"
        : "additionalItems"
    const own = Object.fromEntries(
      Object.entries(read).flatMap(([keyword, value]): ReadonlyArray<readonly [string, unknown]> => {
        switch (keyword) {
          case "properties":
            return [[keyword, inEach(value, within(path, keyword))]]
          case "patternProperties":
            return [[
              keyword,
              Object.fromEntries(
                Object.entries(inEach(value, within(path, keyword))).map(([name, inner]) => [hold(name), inner])
              )
            ]]
          case "prefixItems":
            return [[
              keyword,
              (Array.isArray(value) ? value : []).map((item, index) =>
                location(item, within(path, place(keyword), `${index}`))
              )
            ]]
          case "items":
            return [[keyword, value === false ? false : location(value, within(path, place(keyword)))]]
          case "propertyNames":
            return [[keyword, location(value, within(path, keyword))]]
          case "additionalProperties":
            return [[keyword, typeof value === "boolean" ? value : location(value, within(path, keyword))]]
          case "pattern":
            return [[keyword, hold(String(value))]]
          default:
            return [[keyword, value]]
        }
      })
    )
    // A title beside a reference would hide the name of its target.
    const hiding = reference === undefined ? [] : Object.keys(own).filter(isAbout)
    for (const keyword of hiding) lose(path, `${keyword} beside $ref is left out`)
    if (read["additionalProperties"] === false) {
      lose(path, "additionalProperties is false and is not checked: other members are left out")
    }
    return {
      ...(reference !== undefined && { $ref: referenceTo(reference) }),
      ...said(path, without(own, hiding)),
      ...opened(part, own["additionalProperties"], isKept),
      ...writeLost(part)
    }
  }

  const inEach = (value: unknown, path: Path): { readonly [name: string]: Draft07 } =>
    mapValues(isObject(value) ? value : {}, (inner, name) => location(inner, within(path, name)))

  const hold = (pattern: string): string => {
    const index = patterns.indexOf(pattern)
    return placeholder(index < 0 ? patterns.push(pattern) - 1 : index)
  }

  const read = {
    schemas: schemas.map(({ path, schema }) => location(schema, path)),
    components: mapValues(components, (schema, name) => location(schema, ["components", "schemas", name]))
  }
  return {
    ...read,
    losses: [...losses.values()],
    endless,
    patterns,
    locate: (root, path) => {
      const [first = "", ...others] = path
      let value: unknown = root === "schemas" ? read.schemas[Number(first)] : read.components[first]
      let place = isObject(value) ? places.get(value) : undefined
      for (const token of others) {
        if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) break
        // An own member of an object or an array.
        value = (value as { readonly [name: string]: unknown })[token]
        place = (isObject(value) ? places.get(value) : undefined) ?? place
      }
      return place
    }
  }
}

/** Whether more is asked than that a value fits a component. */
const asksMore = ({ isOpen, read, unchecked }: Part): boolean =>
  isOpen || Object.keys(unchecked).length > 0 || Object.keys(read).some((keyword) => !isAbout(keyword))

/** A record of some names leaves out the others. */
const withoutPatterns = (part: Part): Part => {
  const { patternProperties, ...read } = part.read
  return patternProperties === undefined ? part : {
    ...part,
    read,
    unchecked: { ...part.unchecked, patternProperties },
    taken: new Set([...part.taken, "patternProperties"]),
    isOpen: true
  }
}

/** Whether members beside the properties stay, of which this is written: nothing where they may go. */
const opened = ({ isOpen, read }: Part, written: unknown, isKept: boolean): Draft07 => {
  const { additionalProperties, patternProperties, properties, required, type } = read
  if (patternProperties !== undefined) return { additionalProperties: false }
  const isOfObjects = properties !== undefined || required !== undefined || additionalProperties !== undefined
    || type === "object" || (Array.isArray(type) && type.includes("object"))
  if (!isOfObjects || !(isOpen || isKept)) return {}
  if (isObject(written)) {
    // Effect drops members of a schema that accepts every value, as it drops those of no schema.
    return Vocabulary.isUnrestricted(written) ? { additionalProperties: { ...written, ...kept } } : {}
  }
  if (additionalProperties !== false) return { additionalProperties: kept }
  return isKept ? { additionalProperties: loosened } : {}
}

/** Whether the reading of a schema accepts no more than the schema. */
const isExactly = (value: unknown, inexact: ReadonlySet<string>): boolean =>
  Array.isArray(value)
    ? value.every((inner) => isExactly(inner, inexact))
    : !isObject(value) || Object.entries(value).every(([keyword, inner]) =>
      keyword === "$ref"
        ? !(typeof inner === "string" && inexact.has(inner))
        : !Unchecked.isAnnotation(keyword) && !(keyword === "additionalProperties" && isLoosened(inner))
          && isExactly(inner, inexact)
    )

const isLoosened = (value: unknown): boolean => value === false || (isObject(value) && value[rest] === loosened[rest])

const addInexact = (components: Components, inexact: Set<string>): void => {
  for (let size = -1; size !== inexact.size;) {
    size = inexact.size
    for (const [name, schema] of Object.entries(components)) {
      if (!isExactly(schema, inexact)) inexact.add(referenceTo(name))
    }
  }
}
