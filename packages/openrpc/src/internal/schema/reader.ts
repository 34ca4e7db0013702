/**
 * JSON Schemas of an OpenRPC document as Effect's representations of Schemas.
 * Effect's importer does the work; here is what draft 7 and OpenRPC have beside
 * it, and what a contract means by it.
 */
import * as JsonSchema from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Representation from "effect/SchemaRepresentation"
import { mapNodes } from "./nodes.ts"
import type { Draft07 } from "./subschemas.ts"
import { isObject, map, mapValues, without } from "./subschemas.ts"
import * as Unchecked from "./unchecked.ts"
import type { Written } from "./writer.ts"
import { includeAnnotationKey } from "./writer.ts"

/** The schemas' representations in their order, or why there are none. @internal */
export const read = ({ components, schemas }: Written): Result.Result<Representation.MultiDocument, string> =>
  Result.gen(function*() {
    const converted = yield* attempt((): Unchecked.Document => ({
      dialect: "draft-2020-12",
      schemas: nonEmpty(schemas.map(to2020), {}),
      definitions: mapValues(components, to2020)
    }))
    const [first, ...others] = yield* imported(converted)
    return meant(Representation.toRepresentations([first.ast, ...others.map(({ ast }) => ast)]))
  })

/** Roots are never none: the importer wants one at least. @internal */
export const nonEmpty = <A>([first, ...others]: ReadonlyArray<A>, instead: A): readonly [A, ...Array<A>] =>
  first === undefined ? [instead] : [first, ...others]

const attempt = <A>(run: () => A): Result.Result<A, string> =>
  Result.try({ try: run, catch: (cause) => cause instanceof Error ? cause.message : String(cause) })

const to2020 = (schema: Draft07): Draft07 =>
  JsonSchema.fromSchemaOpenApi3_1(JsonSchema.fromSchemaDraft07(map(schema, (inner) => opened(active(inner)))).schema)
    .schema

/** What draft 7 does not know, and what a contract has no place for. */
const inactive = [
  "$anchor",
  "$comment",
  "$defs",
  "$dynamicAnchor",
  "$dynamicRef",
  "$id",
  "$vocabulary",
  "contentSchema",
  "dependentRequired",
  "dependentSchemas",
  "deprecated",
  "maxContains",
  "minContains",
  "prefixItems",
  "unevaluatedItems",
  "unevaluatedProperties"
]

const active = (schema: Draft07): Draft07 =>
  inactive.some((keyword) => Object.hasOwn(schema, keyword)) ? without(schema, inactive) : schema

const notNull = "x-parley-not-null"

/** What Effect writes and its importer does not read, in words that it does. */
const opened = (schema: Draft07): Draft07 => {
  const { additionalProperties = true, not, patternProperties, properties, ...rest } = schema
  // `Schema.Struct({})`, which takes all but `null`.
  if (isObject(not) && Object.keys(not).length === 1 && not["type"] === "null" && schema["type"] === undefined) {
    return { ...without(schema, ["not"]), type: "object", [notNull]: true }
  }
  // A record of some names does not look at others.
  if (isObject(patternProperties) && properties === undefined && additionalProperties === true) {
    return { ...rest, patternProperties, additionalProperties: false }
  }
  return schema
}

type Imported = ReturnType<typeof Representation.fromJsonSchemaMultiDocument>

const imported = (document: Unchecked.Document): Result.Result<Imported, string> => {
  let current = document
  let last: string | undefined
  for (let number = 1;; number++) {
    // Whoever writes code from a document trusts it, with its patterns.
    const result = attempt(() =>
      Representation.fromJsonSchemaMultiDocument(current, { includeAnnotationKey, patterns: "apply" })
    )
    if (Result.isSuccess(result) || result.failure === last) return result
    last = result.failure
    const next = Unchecked.keep(current, last, number)
    if (next === undefined) return result
    current = next
  }
}

const meant = (document: Representation.MultiDocument): Representation.MultiDocument =>
  mapNodes(document, (node) => {
    if (node._tag === "Reference") return node
    const plain = quiet(node)
    switch (plain._tag) {
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

/** A union of one literal: its code is that of the literal. */
const single = (node: Representation.Union): Representation.Representation => {
  const [only, ...others] = node.types
  return only?._tag === "Literal" && others.length === 0 && node.options === undefined && only.annotations === undefined
    ? { ...only, checks: node.checks, ...(node.annotations !== undefined && { annotations: node.annotations }) }
    : node
}

/** Without what the importer says about expectations: Effect says the same by itself. */
type Node = Exclude<Representation.Representation, Representation.Reference>

const quiet = (node: Node): Node => {
  const quieter = { ...node, ...annotationsWithout(node.annotations) }
  return quieter._tag === "Suspend"
    ? quieter
    : {
      ...quieter,
      checks: quieter.checks.map((check) =>
        // By what it expects Effect knows that this makes a `Schema.Finite`.
        check.representation?.id === "effect/schema/isFinite"
          ? check
          : { ...check, ...annotationsWithout(check.annotations) }
      )
    }
}

const annotationsWithout = <A extends { readonly [name: string]: unknown }>(annotations: A | undefined) =>
  // What is left out may be absent in every kind of annotations.
  annotations === undefined ? {} : { annotations: without(annotations, ["expected"]) as A }

/** An object is open in JSON Schema, and a Struct looks at no more than its fields: they mean the same. */
const objects = (node: Representation.Objects): Representation.Objects => {
  const { [notNull]: isNotNull, ...annotations } = node.annotations ?? {}
  const { indexSignatures, propertySignatures } = node
  const [index, ...others] = indexSignatures
  const isOpen = index !== undefined && others.length === 0 && isAnyString(index.parameter) && isAnyJson(index.type)
  return {
    ...node,
    ...(node.annotations !== undefined && { annotations }),
    indexSignatures: isOpen && (propertySignatures.length > 0 || isNotNull === true) ? [] : indexSignatures
  }
}

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
