/**
 * All schemas that one value has to fit at once: references are followed, `allOf` is spread, and of choices one is taken.
 *
 * What is left out here, such as that a value fits only one of `oneOf`, is found when the value is held against the whole
 * schema: it costs values, never truth.
 */
import type * as References from "@parley/json-schema/References"
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Choices } from "./Choices.ts"
import { negated } from "./negated.ts"
import { targetOf, type World } from "./World.ts"

/** One schema that a value has to fit, by its keywords. */
export interface Demand {
  readonly place: References.Place
  readonly schema: Schema.JsonObject
}

/** Schemas that are met on the way to one value, at most: a reference may lead to itself. */
const mostDemands = 200

/** Gathers the demands of schemas; `undefined` where nothing fits. A deep value takes the choice that ends soonest. */
export const gather = (
  world: World,
  places: ReadonlyArray<References.Place>,
  choices: Choices,
  isDeep: boolean
): ReadonlyArray<Demand> | undefined => {
  const { heightOf, references } = world
  const found = new Map<Schema.Json, Demand>()
  const waiting = [...places]
  const choose = (list: Schema.Json, place: References.Place): void => {
    if (!JsonObject.isArray(list) || list.length === 0) return
    const branches = list.map((schema) => references.below(schema, place))
    const taken = branches[choices.next(branches.length)]
    const soonest = isDeep
      ? branches.reduce((best, branch) => heightOf(branch) < heightOf(best) ? branch : best)
      : taken
    if (soonest !== undefined) waiting.push(soonest)
  }
  for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
    const { schema } = place
    if (schema === false) return undefined
    if (!JsonObject.isObject(schema) || found.has(schema)) continue
    if (found.size >= mostDemands) return undefined
    found.set(schema, { place, schema })
    const target = targetOf(references, place, schema)
    if (target !== undefined) waiting.push(target)
    const at = place
    const below = (schema: Schema.Json) => references.below(schema, at)
    const all = JsonObject.own(schema, "allOf")
    if (JsonObject.isArray(all)) waiting.push(...all.map(below))
    for (const keyword of ["anyOf", "oneOf"]) choose(JsonObject.own(schema, keyword) ?? [], place)
    const not = JsonObject.own(schema, "not")
    if (not !== undefined) waiting.push(below(negated(not, choices)))
    waiting.push(...conditionOf(schema, choices).map(below))
  }
  return [...found.values()]
}

/** Either what `if` and `then` ask for, or what `else` does and `if` does not. */
const conditionOf = (schema: Schema.JsonObject, choices: Choices): ReadonlyArray<Schema.Json> => {
  const condition = JsonObject.own(schema, "if")
  const yes = JsonObject.own(schema, "then")
  const no = JsonObject.own(schema, "else")
  if (condition === undefined || (yes === undefined && no === undefined)) return []
  return choices.next(2) === 0 ? [condition, yes ?? true] : [negated(condition, choices), no ?? true]
}

/** The values of a keyword, of all schemas that have it. */
export const valuesOf = (demands: ReadonlyArray<Demand>, keyword: string): ReadonlyArray<Schema.Json> =>
  demands.flatMap(({ schema }) => {
    const value = JsonObject.own(schema, keyword)
    return value === undefined ? [] : [value]
  })

/** The numbers of a keyword, likewise. */
export const numbersOf = (demands: ReadonlyArray<Demand>, keyword: string): ReadonlyArray<number> =>
  valuesOf(demands, keyword).filter((value) => typeof value === "number")

/** The largest lower bound, and the smallest upper one. */
export const boundsOf = (
  demands: ReadonlyArray<Demand>,
  suffix: "Length" | "Items" | "Properties"
): { readonly least: number; readonly most: number } => ({
  least: Math.max(0, ...numbersOf(demands, `min${suffix}`)),
  most: Math.min(Number.POSITIVE_INFINITY, ...numbersOf(demands, `max${suffix}`))
})

/** The types that a value may have. */
export const typeNames = ["string", "number", "boolean", "object", "array", "null"] as const

export type TypeName = (typeof typeNames)[number]

/** The types that all demands allow, those first of which the schemas speak. */
export const typesOf = (
  demands: ReadonlyArray<Demand>
): { readonly types: ReadonlyArray<TypeName>; readonly isInteger: boolean } => {
  let types: ReadonlyArray<TypeName> = typeNames
  let isInteger = false
  let isSaid = false
  for (const type of valuesOf(demands, "type")) {
    const names = JsonObject.isArray(type) ? type : [type]
    isSaid = true
    isInteger ||= names.includes("integer") && !names.includes("number")
    types = types.filter((name) => names.includes(name) || (name === "number" && names.includes("integer")))
  }
  if (isSaid) return { types, isInteger }
  const spoken = types.filter((type) => demands.some(({ schema }) => speaks[type].some((key) => key in schema)))
  return { types: spoken.length > 0 ? spoken : types, isInteger }
}

const speaks: Readonly<Record<TypeName, ReadonlyArray<string>>> = {
  object: [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties"
  ],
  array: ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"],
  string: ["pattern", "minLength", "maxLength", "format", "contentEncoding", "contentMediaType"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  boolean: [],
  null: []
}
