/** A schema that most values fit which do not fit another one, so far as that can be said by keywords. */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import type { Choices } from "./Choices.ts"

/** How deep it is looked into. */
const mostDepth = 8

/** Where nothing else can be said the schema stays in a `not`, which writers of values only respect for single values. */
export const negated = (schema: Schema.Json, choices: Choices, depth = 0): Schema.Json => {
  if (typeof schema === "boolean") return !schema
  if (!JsonObject.isObject(schema) || depth > mostDepth) return true
  const ways = Object.entries(schema).flatMap(([keyword, value]) => waysOf(keyword, value, choices, depth))
  return ways[choices.next(ways.length)] ?? {}
}

const waysOf = (
  keyword: string,
  value: Schema.Json,
  choices: Choices,
  depth: number
): ReadonlyArray<Schema.JsonObject> => {
  switch (keyword) {
    case "const":
      return [{ [notEqual]: [value] }]
    case "enum":
      return JsonObject.isArray(value) ? [{ [notEqual]: value }] : []
    case "type": {
      const names = JsonObject.isArray(value) ? value : [value]
      return [{
        type: all.filter((name) => !names.includes(name) && !(name === "number" && names.includes("integer")))
      }]
    }
    case "minimum":
      return [{ exclusiveMaximum: value }]
    case "maximum":
      return [{ exclusiveMinimum: value }]
    case "exclusiveMinimum":
      return typeof value === "number" ? [{ maximum: value }] : []
    case "exclusiveMaximum":
      return typeof value === "number" ? [{ minimum: value }] : []
    case "minLength":
    case "minItems":
    case "minProperties":
      return typeof value === "number" && value > 0 ? [{ [keyword.replace("min", "max")]: value - 1 }] : []
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return typeof value === "number" ? [{ [keyword.replace("max", "min")]: value + 1 }] : []
    case "required":
      return JsonObject.isArray(value)
        ? value.flatMap((key) => typeof key === "string" ? [{ properties: { [key]: false } }] : [])
        : []
    case "properties":
      return JsonObject.isObject(value)
        ? Object.entries(value).map(([key, schema]) => ({
          type: "object",
          required: [key],
          properties: { [key]: negated(schema, choices, depth + 1) }
        }))
        : []
    case "not":
      return JsonObject.isObject(value) ? [value] : []
    case "allOf":
      return JsonObject.isArray(value)
        ? value.map((schema) => negated(schema, choices, depth + 1)).filter((schema) => JsonObject.isObject(schema))
        : []
    case "anyOf":
    case "oneOf":
      return JsonObject.isArray(value)
        ? [{ allOf: value.map((schema) => negated(schema, choices, depth + 1)) }]
        : []
    default:
      return []
  }
}

const all = ["string", "number", "boolean", "object", "array", "null"]

/** A word of our own: the values that a value must not equal. */
export const notEqual = "x-parley-not-equal"
