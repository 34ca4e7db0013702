/** Writes objects: what is required, of the rest what is chosen, and in a map some names of its own. */
import type * as References from "@parley/json-schema/References"
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Choices } from "../Choices.ts"
import { boundsOf, type Demand, gather } from "../Demands.ts"
import type { World } from "../World.ts"
import type { Inner } from "./Inner.ts"

/** Members that may be left out and are looked at, and names that a map has. */
const mostOptional = 64
const mostNames = 2

/** An object that has to have more members is not written. */
const mostMembers = 1_000

/** How often members bring schemas that bring members. */
const mostRounds = 8

export const write = (first: ReadonlyArray<Demand>, inner: Inner): Schema.JsonObject | undefined => {
  const { choices, isDeep, world } = inner
  const { references } = world
  const { least, most } = boundsOf(first, "Properties")
  if (least > mostMembers) return undefined
  const optional = [...new Set(first.flatMap(({ schema }) => keysOf(schema, "properties")))].slice(0, mostOptional)
  const chosen = isDeep ? [] : optional.filter(() => choices.isThere())
  const all = withDependents(first, new Set(chosen), inner)
  if (all === undefined) return undefined
  const { demands, keys } = all
  for (const key of optional) if (keys.size < least) keys.add(key)
  const more = Math.max(least - keys.size, isMap(demands) && !isDeep ? choices.next(mostNames + 1) : 0)
  for (const key of newNames(world, demands, more, choices, inner)) keys.add(key)
  const required = requiredBy(demands)
  const members: Array<readonly [string, Schema.Json]> = []
  let left = keys.size
  for (const key of keys) {
    const isRequired = required.has(key)
    const isTooMany = !isRequired && left > most
    const value = isTooMany ? undefined : inner.write(placesOfMember(world, demands, key), key, 0)
    if (value === undefined && isRequired) return undefined
    if (value === undefined) left--
    else members.push([key, value])
  }
  return Object.fromEntries(members)

  /** Members ask for others, or for what another schema says. */
  function withDependents(
    demands: ReadonlyArray<Demand>,
    keys: Set<string>,
    { isDeep }: Inner
  ): { readonly demands: ReadonlyArray<Demand>; readonly keys: Set<string> } | undefined {
    let all = demands
    for (let round = 0; round < mostRounds; round++) {
      const before = keys.size + all.length
      for (const key of requiredBy(all)) keys.add(key)
      for (const demand of all) {
        const { place, schema } = demand
        for (const keyword of ["dependentRequired", "dependencies", "dependentSchemas"]) {
          const dependents = JsonObject.own(schema, keyword)
          if (!JsonObject.isObject(dependents)) continue
          for (const key of [...keys]) {
            const dependent = JsonObject.own(dependents, key)
            if (JsonObject.isArray(dependent)) {
              for (const name of dependent) if (typeof name === "string") keys.add(name)
            } else if (dependent !== undefined && !all.some(({ schema }) => schema === dependent)) {
              const more = gather(world, [references.below(dependent, place)], choices, isDeep)
              if (more === undefined) return undefined
              all = [...all, ...more]
            }
          }
        }
      }
      if (keys.size + all.length === before) break
    }
    return { demands: all, keys }
  }
}

const keysOf = (schema: Schema.JsonObject, keyword: string): ReadonlyArray<string> => {
  const members = JsonObject.own(schema, keyword)
  return JsonObject.isObject(members) ? Object.keys(members) : []
}

const requiredBy = (demands: ReadonlyArray<Demand>): ReadonlySet<string> =>
  new Set(demands.flatMap(({ schema }) => {
    const required = JsonObject.own(schema, "required")
    return JsonObject.isArray(required) ? required.filter((key) => typeof key === "string") : []
  }))

/** Whether a schema says what members of any name are. */
const isMap = (demands: ReadonlyArray<Demand>): boolean =>
  demands.some(({ schema }) => {
    const rest = JsonObject.own(schema, "additionalProperties") ?? JsonObject.own(schema, "unevaluatedProperties")
    return JsonObject.isObject(rest) || rest === true || keysOf(schema, "patternProperties").length > 0
  })

/** Names that no schema lists. */
const newNames = (
  world: World,
  demands: ReadonlyArray<Demand>,
  count: number,
  choices: Choices,
  inner: Inner
): ReadonlyArray<string> => {
  if (count === 0) return []
  const { references } = world
  const patterns = demands.flatMap(({ schema }) => keysOf(schema, "patternProperties"))
  const rules = demands.flatMap(({ place, schema }) => {
    const names = JsonObject.own(schema, "propertyNames")
    return names === undefined ? [] : [references.below(names, place)]
  })
  const listed = new Set(demands.flatMap(({ schema }) => keysOf(schema, "properties")))
  const found = new Set<string>()
  for (let index = 0; index < count * 2 && found.size < count; index++) {
    const source = patterns[choices.next(patterns.length)]
    const pattern = source === undefined ? undefined : world.pattern(source)
    const name = rules.length > 0
      ? inner.writeName(rules, index)
      : pattern?.example((count) => (choices.next(count) + index) % count) ?? (index === 0 ? "key" : `key${index + 1}`)
    if (name !== undefined && !listed.has(name)) found.add(name)
  }
  return [...found]
}

/** What a member has to fit. */
export const placesOfMember = (
  world: World,
  demands: ReadonlyArray<Demand>,
  key: string
): ReadonlyArray<References.Place> => {
  const { references } = world
  const places = demands.flatMap(({ place, schema }) => {
    const properties = JsonObject.own(schema, "properties")
    const named = JsonObject.isObject(properties) ? JsonObject.own(properties, key) : undefined
    const patterns = JsonObject.own(schema, "patternProperties")
    const matched = JsonObject.isObject(patterns)
      ? Object.entries(patterns).flatMap(([source, schema]) =>
        world.pattern(source)?.test(key) === true ? [schema] : []
      )
      : []
    const own = named === undefined ? matched : [named, ...matched]
    const rest = JsonObject.own(schema, "additionalProperties")
    const all = own.length > 0 ? own : rest === undefined ? [] : [rest]
    return all.map((schema) => references.below(schema, place))
  })
  return places.length > 0 ? places : demands.flatMap(({ place, schema }) => {
    const rest = JsonObject.own(schema, "unevaluatedProperties")
    return rest === undefined ? [] : [references.below(rest, place)]
  })
}
