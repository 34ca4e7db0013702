/** A schema whose values are written: where its references lead, and how deep its parts have to be. */
import * as Pattern from "@parley/json-schema/Pattern"
import * as References from "@parley/json-schema/References"
import * as Subschemas from "@parley/json-schema/Subschemas"
import { JsonObject } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** What the parts of one schema share. */
export interface World {
  readonly references: References.References
  /** How many values stand in one another at the least in one that fits; infinitely many where none is finite. */
  readonly heightOf: (place: References.Place) => number
  /** A pattern, where it can be run. */
  readonly pattern: (source: string) => Pattern.Pattern | undefined
}

/** Looks through a schema; `undefined` where it is too large for that. */
export const make = (root: Schema.Json): World | undefined => {
  const references = References.make(root)
  if (references === undefined) return undefined
  const patterns = new Map<string, Pattern.Pattern | undefined>()
  let heights: ReadonlyMap<Schema.Json, number> | undefined
  return {
    references,
    heightOf: ({ schema }) => {
      heights ??= heightsOf(references)
      return typeof schema === "boolean" ? schema ? 0 : Number.POSITIVE_INFINITY : heights.get(schema) ?? 0
    },
    pattern: (source) => {
      if (!patterns.has(source)) patterns.set(source, Result.getOrUndefined(Pattern.make(source)))
      return patterns.get(source)
    }
  }
}

/** Schemas that are looked at, and times that they are: a schema may have any size. */
const mostPlaces = 5_000
const mostRounds = 24

/** Begins with no schema having a finite value, and goes on until nothing becomes finite any more. */
const heightsOf = (references: References.References): ReadonlyMap<Schema.Json, number> => {
  const places = new Map<Schema.Json, References.Place>()
  const waiting: Array<References.Place> = [references.root]
  for (let place = waiting.pop(); place !== undefined && places.size < mostPlaces; place = waiting.pop()) {
    const { schema } = place
    if (!JsonObject.isObject(schema) || places.has(schema)) continue
    places.set(schema, place)
    const target = targetOf(references, place, schema)
    if (target !== undefined) waiting.push(target)
    for (const part of Subschemas.below(schema)) waiting.push(references.below(part, place))
  }
  const heights = new Map<Schema.Json, number>(
    Array.from(places.keys(), (schema) => [schema, Number.POSITIVE_INFINITY])
  )
  const heightOf = (schema: Schema.Json): number =>
    typeof schema === "boolean" ? schema ? 0 : Number.POSITIVE_INFINITY : heights.get(schema) ?? 0
  for (let round = 0, isNew = true; isNew && round < mostRounds; round++) {
    isNew = false
    for (const [schema, place] of places) {
      if (!JsonObject.isObject(schema)) continue
      const target = targetOf(references, place, schema)
      const height = Math.max(target === undefined ? 0 : heightOf(target.schema), ownHeight(schema, heightOf))
      if (height < (heights.get(schema) ?? 0)) {
        heights.set(schema, height)
        isNew = true
      }
    }
  }
  return heights
}

const ownHeight = (schema: Schema.JsonObject, heightOf: (schema: Schema.Json) => number): number => {
  if (Object.hasOwn(schema, "const") || Object.hasOwn(schema, "enum")) return 0
  const parts = (keyword: string) => {
    const list = JsonObject.own(schema, keyword)
    return JsonObject.isArray(list) ? list.map(heightOf) : []
  }
  const choices = ["anyOf", "oneOf"].map(parts).filter(({ length }) => length > 0).map((all) => Math.min(...all))
  return Math.max(0, ...parts("allOf"), ...choices, hasSimpleType(schema) ? 0 : heightOfParts(schema, heightOf))
}

const hasSimpleType = (schema: Schema.JsonObject): boolean => {
  const type = JsonObject.own(schema, "type")
  const types = JsonObject.isArray(type) ? type : [type]
  return type !== undefined && types.some((type) => type !== "object" && type !== "array")
}

/** What the members have that are required, and the items. */
const heightOfParts = (schema: Schema.JsonObject, heightOf: (schema: Schema.Json) => number): number => {
  const properties = JsonObject.own(schema, "properties")
  const required = JsonObject.own(schema, "required")
  const members = JsonObject.isArray(required) && JsonObject.isObject(properties)
    ? required.map((key) => (typeof key === "string" ? JsonObject.own(properties, key) : undefined) ?? true)
    : []
  const least = JsonObject.own(schema, "minItems")
  const items = JsonObject.own(schema, "items")
  const first = typeof least === "number" && least > 0 && items !== undefined && !JsonObject.isArray(items)
    ? [items]
    : []
  const contained = JsonObject.own(schema, "contains")
  const all = [...members, ...first, ...contained === undefined ? [] : [contained]]
  return Math.max(0, ...all.map((part) => 1 + heightOf(part)))
}

/** Where the reference of a schema leads. */
export const targetOf = (
  references: References.References,
  place: References.Place,
  schema: Schema.JsonObject
): References.Place | undefined => {
  for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    const reference = JsonObject.own(schema, keyword)
    if (typeof reference === "string") return references.resolve(reference, place)
  }
  return undefined
}
