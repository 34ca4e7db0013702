/**
 * Writes a value that probably fits schemas, and tells what each of its parts had to fit. Whatever the schemas are, it is
 * bounded in depth and in how many values it has.
 */
import type * as References from "@parley/json-schema/References"
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { type Choices, shifted } from "../Choices.ts"
import { type Demand, gather, typesOf, valuesOf } from "../Demands.ts"
import { notEqual } from "../negated.ts"
import type { World } from "../World.ts"
import * as array from "./array.ts"
import type { Inner, Part } from "./Inner.ts"
import * as number from "./number.ts"
import * as object from "./object.ts"
import * as text from "./text.ts"

/** From here on only what has to be there is written, and further on nothing at all. */
const deep = 5
const deepest = 32

/** Likewise for the values that were written. */
const many = 300
const most = 3_000

/** How often a value is written again that must not be there. */
const mostTries = 6

/** Writes one value; `undefined` where none was found. `onPart` is told each of its parts, also of those left out. */
export const write = (
  world: World,
  place: References.Place,
  choices: Choices,
  onPart: (part: Part) => void
): Schema.Json | undefined => {
  let count = 0

  const writeAt = (
    places: ReadonlyArray<References.Place>,
    path: ReadonlyArray<string | number>,
    choices: Choices
  ): Schema.Json | undefined => {
    if (++count > most || path.length > deepest) return undefined
    const isDeep = path.length >= deep || count > many
    const demands = gather(world, places, choices, isDeep)
    if (demands === undefined) return undefined
    onPart({ path, demands })
    const refused = valuesOf(demands, notEqual).flatMap((values) => JsonObject.isArray(values) ? values : [])
    const texts = new Set(refused.map(JsonObject.canonical))
    const inner = (by: number): Inner => ({
      world,
      choices: shifted(choices, by),
      isDeep,
      write: (places, key, more) => writeAt(places, [...path, key], shifted(choices, more)),
      writeName: (places, more) => {
        const demands = gather(world, [...places, { ...place, schema: onlyTexts }], choices, true)
        const name = demands === undefined ? undefined : ofDemands(demands, inner(more))
        return typeof name === "string" ? name : undefined
      }
    })
    for (let tries = 0; tries < mostTries; tries++) {
      const value = ofDemands(demands, inner(tries))
      if (value === undefined || !texts.has(JsonObject.canonical(value))) return value
    }
    return undefined
  }

  return writeAt([place], [], choices)
}

const onlyTexts: Schema.JsonObject = { type: "string" }

const ofDemands = (demands: ReadonlyArray<Demand>, inner: Inner): Schema.Json | undefined => {
  const { choices } = inner
  const { isInteger, types } = typesOf(demands)
  const isOfType = (value: Schema.Json) =>
    types.some((type) => type === typeOf(value)) && (!isInteger || typeof value !== "number" || Number.isInteger(value))
  const constants = constantsOf(demands)
  if (constants !== undefined) {
    const fitting = constants.filter(isOfType)
    return fitting[choices.next(fitting.length)]
  }
  const type = types[choices.next(types.length)]
  const named = namedBy(demands).filter((value) => typeOf(value) === type && isOfType(value))
  if (named.length > 0) {
    const at = choices.next(named.length + 1)
    // An example of a text means more than a text that fits; one of an object would hide its parts.
    const example = named[type === "object" || type === "array" ? at - 1 : at]
    if (example !== undefined) return example
  }
  switch (type) {
    case "string":
      return text.write(inner.world, demands, choices)
    case "number":
      return number.write(demands, isInteger, choices)
    case "boolean":
      return choices.next(2) === 0
    case "null":
      return null
    case "array":
      return array.write(demands, inner)
    case "object":
      return object.write(demands, inner)
    default:
      return undefined
  }
}

/** The type of a value, in the words of JSON Schema. */
export const typeOf = (value: Schema.Json): string =>
  value === null ? "null" : JsonObject.isArray(value) ? "array" : typeof value

/** The values that all demands list, where one lists any. */
const constantsOf = (demands: ReadonlyArray<Demand>): ReadonlyArray<Schema.Json> | undefined => {
  const lists = demands.flatMap(({ schema }) => {
    const list = JsonObject.own(schema, "enum")
    return [
      ...JsonObject.isArray(list) ? [list] : [],
      ...Object.hasOwn(schema, "const") ? [[JsonObject.own(schema, "const") ?? null]] : []
    ]
  })
  const [first, ...others] = lists
  return first?.filter((value) => {
    const text = JsonObject.canonical(value)
    return others.every((list) => list.some((other) => JsonObject.canonical(other) === text))
  })
}

/** The values that schemas give as examples. */
const namedBy = (demands: ReadonlyArray<Demand>): ReadonlyArray<Schema.Json> =>
  demands.flatMap(({ schema }) => {
    const examples = JsonObject.own(schema, "examples")
    return [
      ...JsonObject.isArray(examples) ? examples : [],
      ...["example", "default"].flatMap((keyword) => {
        const value = JsonObject.own(schema, keyword)
        return value === undefined ? [] : [value]
      })
    ]
  })
