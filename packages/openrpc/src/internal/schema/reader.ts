/**
 * JSON Schemas of an OpenRPC document as Effect's representations of Schemas.
 * Effect's importer does the work; here is what draft 7 and OpenRPC have beside
 * it, and what a contract means by it.
 */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Representation from "effect/SchemaRepresentation"
import * as Lossless from "./lossless.ts"
import { mapNodes, referencesOf } from "./nodes.ts"
import type { Draft07 } from "./subschemas.ts"
import { isObject, map, mapValues, without } from "./subschemas.ts"
import { includeAnnotationKey } from "./writer.ts"

/** @internal */
export interface Read extends Representation.MultiDocument {
  /** What is not checked, and where it stands. */
  readonly losses: ReadonlyArray<Lossless.Loss>
}

/** The schemas' representations in their order, or why there are none. @internal */
export const read = (
  schemas: ReadonlyArray<Lossless.Located>,
  components: { readonly [name: string]: Draft07 },
  keepsUnknown: boolean
): Result.Result<Read, string> => {
  const opaque = new Set<string>()
  for (;;) {
    const lossless = Lossless.make(schemas, components, opaque, keepsUnknown)
    const result = attempt(() => imported(lossless))
    if (Result.isSuccess(result)) {
      const [first, ...others] = result.success
      const document = Representation.toRepresentations([first.ast, ...others.map(({ ast }) => ast)])
      return Result.succeed({ ...meant(document, lossless.patterns), losses: lossless.losses })
    }
    const [root, ...path] = pathOf(result.failure)
    const place = root === undefined ? undefined : lossless.locate(root === "schemas" ? root : "components", path)
    const places = place === undefined ? [...lossless.endless] : [place]
    if (places.every((place) => opaque.has(place))) return Result.fail(result.failure)
    for (const place of places) opaque.add(place)
  }
}

/** Roots are never none: the importer wants one at least. @internal */
export const nonEmpty = <A>([first, ...others]: ReadonlyArray<A>, instead: A): readonly [A, ...Array<A>] =>
  first === undefined ? [instead] : [first, ...others]

const attempt = <A>(run: () => A): Result.Result<A, string> =>
  Result.try({ try: run, catch: (cause) => cause instanceof Error ? cause.message : String(cause) })

/** Of the form `… at ["definitions"]["Filter"]["oneOf"][0]["not"]`. */
const pathOf = (message: string): ReadonlyArray<string> => {
  // linear: keys are written as JSON there, so that only the path itself begins with a line end
  const at = /\n {2}at ((?:\[(?:"(?:[^"\\]|\\.)*"|\d+)\])+)$/.exec(message)?.[1] ?? ""
  // linear: the whole of it has just matched, so its strings end
  return Array.from(at.matchAll(/\[("(?:[^"\\]|\\.)*"|\d+)\]/g), ([, token = "0"]) => String(JSON.parse(token)))
}

const imported = ({ components, schemas }: Lossless.Lossless) =>
  Representation.fromJsonSchemaMultiDocument({
    dialect: "draft-2020-12",
    schemas: nonEmpty(schemas.map(to2020), {}),
    definitions: mapValues(components, to2020)
    // The patterns are stand-ins, of which none takes long.
  }, { includeAnnotationKey, patterns: "apply" })

/** Every keyword that is left is one of draft 2020-12. */
const to2020 = (schema: Draft07): Draft07 => JsonSchema.fromSchemaOpenApi3_1(map(schema, writtenEmpty)).schema

const notNull = "x-parley-not-null"

/** `Schema.Struct({})`, which takes all but `null`, and which the importer does not read. */
const writtenEmpty = (schema: Draft07): Draft07 => {
  const { not } = schema
  return isObject(not) && not["type"] === "null"
    ? { ...without(schema, ["not"]), type: "object", [notNull]: true }
    : schema
}

const meant = (
  document: Representation.MultiDocument,
  patterns: ReadonlyArray<string>
): Representation.MultiDocument => {
  const recursive = recursiveIn(document)
  return mapNodes(document, (node) => {
    if (node._tag === "Reference") return node
    const plain = quiet(node, patterns)
    // A reference that has nothing to say any more.
    if (plain._tag === "Suspend" && plain.annotations === undefined) return plain.thunk
    switch (plain._tag) {
      case "Arrays":
        return arrays(plain, recursive)
      case "Objects":
        return objects(plain)
      case "Number":
        return { ...plain, checks: plain.checks.filter((check) => !isBoundOfIntegers(plain.checks, check)) }
      case "Union":
        return single(plain)
      default:
        return plain
    }
  })
}

/** The references that lead to themselves. */
const recursiveIn = ({ references }: Representation.MultiDocument): ReadonlySet<string> => {
  const needs = new Map(Object.entries(references).map(([name, node]) => [name, referencesOf(node)]))
  const reached = (name: string): ReadonlySet<string> => {
    const found = new Set<string>()
    const waiting = [...needs.get(name) ?? []]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (found.has(next)) continue
      found.add(next)
      waiting.push(...needs.get(next) ?? [])
    }
    return found
  }
  return new Set([...needs.keys()].filter((name) => reached(name).has(name)))
}

/**
 * In a union, Effect forgets of what is looked up later that it may be absent, and refuses a tuple in which it follows
 * another item that may be. It does not forget it of a union of one.
 */
const arrays = (node: Representation.Arrays, recursive: ReadonlySet<string>): Representation.Arrays => ({
  ...node,
  elements: node.elements.map((element) =>
    element.isOptional
      && (element.type._tag === "Suspend" || (element.type._tag === "Reference" && recursive.has(element.type.$ref)))
      ? { ...element, type: { _tag: "Union", types: [element.type], checks: [] } }
      : element
  )
})

/** A union of one literal: its code is that of the literal. */
const single = (node: Representation.Union): Representation.Representation => {
  const [only, ...others] = node.types
  return only?._tag === "Literal" && others.length === 0 && node.options === undefined && only.annotations === undefined
    ? { ...only, checks: node.checks, ...(node.annotations !== undefined && { annotations: node.annotations }) }
    : node
}

/** Without what the importer says about expectations: Effect says the same by itself. */
type Node = Exclude<Representation.Representation, Representation.Reference>

const quiet = (node: Node, patterns: ReadonlyArray<string>): Node => {
  // Any JSON may be what stands beside properties: their object tells.
  const names = node._tag === "Declaration" ? ["expected"] : ["expected", Lossless.rest]
  const quieter = { ...node, ...annotationsWithout(node.annotations, names) }
  return quieter._tag === "Suspend"
    ? quieter
    : {
      ...quieter,
      checks: quieter.checks.map((check) =>
        // By what it expects Effect knows that this makes a `Schema.Finite`.
        check.representation?.id === "effect/schema/isFinite"
          ? check
          : restored({ ...check, ...annotationsWithout(check.annotations, ["expected"]) }, patterns)
      )
    }
}

/** With the patterns themselves. */
const restored = (check: Representation.Check, patterns: ReadonlyArray<string>): Representation.Check => {
  if (check._tag === "FilterGroup") {
    const [first, ...others] = check.checks
    return { ...check, checks: [restored(first, patterns), ...others.map((inner) => restored(inner, patterns))] }
  }
  const { annotations, representation } = check
  const payload = representation?.payload
  if (representation?.id !== "effect/schema/isPattern" || !isObject(payload)) return check
  const real = patternCheck(Lossless.patternOf(String(payload["source"]), patterns))
  const said = Object.entries(annotations ?? {}).filter(([name]) => !Object.hasOwn(real.annotations ?? {}, name))
  return {
    ...real,
    annotations: { ...without(real.annotations ?? {}, ["expected"]), ...Object.fromEntries(said) }
  }
}

const patternCheck = (source: string): Representation.Filter => {
  const { representations: [node] } = Representation.toRepresentations([
    // linear: it is only described, and never run
    Schema.String.check(Schema.isPattern(new RegExp(source, "u"))).ast
  ])
  const [check] = node._tag === "String" ? node.checks : []
  if (check?._tag !== "Filter") throw new TypeError("a pattern is one check")
  return check
}

const annotationsWithout = <A extends { readonly [name: string]: unknown }>(
  annotations: A | undefined,
  names: ReadonlyArray<string>
) => {
  if (annotations === undefined) return {}
  // What is left out may be absent in every kind of annotations.
  const left = without(annotations, names) as A
  return Object.keys(left).length === 0 ? { annotations: undefined } : { annotations: left }
}

/** An object is open in JSON Schema, and a Struct looks at no more than its fields: they mean the same. */
const objects = (node: Representation.Objects): Representation.Objects => {
  const { [notNull]: isNotNull, ...annotations } = node.annotations ?? {}
  const { indexSignatures, propertySignatures } = node
  const [index, ...others] = indexSignatures
  const isOpen = index !== undefined && others.length === 0 && isAnyString(index.parameter) && isAnyJson(index.type)
  const isKept = isOpen && isRest(index.type)
  const isStruct = isOpen && !isKept && (propertySignatures.length > 0 || isNotNull === true)
  return {
    ...node,
    ...(node.annotations !== undefined && { annotations }),
    propertySignatures: propertySignatures.map((property) => ({ ...property, type: anyJson(property.type) })),
    indexSignatures: isStruct ? [] : isKept ? [{ ...index, type: anyJson(index.type) }] : indexSignatures
  }
}

const isRest = (node: Representation.Representation): boolean =>
  node._tag === "Declaration" && Object.hasOwn(node.annotations ?? {}, Lossless.rest)

const anyJson = (node: Representation.Representation): Representation.Representation =>
  isRest(node) && node._tag === "Declaration"
    ? { ...node, ...annotationsWithout(node.annotations, [Lossless.rest]) }
    : node

const isAnyString = (node: Representation.Representation): boolean => node._tag === "String" && node.checks.length === 0

const isAnyJson = (node: Representation.Representation): boolean =>
  node._tag === "Declaration" && node.representation?.id === "effect/schema/Json" && node.checks.length === 0

const isBoundOfIntegers = (
  all: ReadonlyArray<Representation.Check>,
  { representation }: Representation.Check
): boolean => {
  if (!all.some((check) => check.representation?.id === "effect/schema/isInt")) return false
  const payload = isObject(representation?.payload) ? representation.payload : {}
  switch (representation?.id) {
    case "effect/schema/isGreaterThanOrEqualTo":
      return payload["minimum"] === Number.MIN_SAFE_INTEGER
    case "effect/schema/isLessThanOrEqualTo":
      return payload["maximum"] === Number.MAX_SAFE_INTEGER
    default:
      return false
  }
}
