/**
 * A JSON Schema without what says nothing. Models read every keyword, and some refuse numbers as large as the bounds
 * that Effect writes of each whole number.
 */
import type * as Schema from "effect/Schema"
import { isArray, isObject } from "../Json.ts"

/** @internal */
export const minimal = (schema: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword, value]) => !saysNothing(schema, keyword, value))
      .map(([keyword, value]) => [keyword, within(keyword, value)])
  )

const saysNothing = (schema: Schema.JsonObject, keyword: string, value: Schema.Json): boolean => {
  switch (keyword) {
    case "additionalProperties":
      return value === true
    case "minimum":
      return schema["type"] === "integer" && value === Number.MIN_SAFE_INTEGER
    case "maximum":
      return schema["type"] === "integer" && value === Number.MAX_SAFE_INTEGER
    default:
      return false
  }
}

/** Values of other keywords, such as `default`, may look like schemas and are none. */
const within = (keyword: string, value: Schema.Json): Schema.Json => {
  if (named.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, each(schema)]))
  }
  if (listed.has(keyword) && isArray(value)) return value.map(each)
  return single.has(keyword) ? each(value) : value
}

const each = (schema: Schema.Json): Schema.Json => isObject(schema) ? minimal(schema) : schema

const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"])

const listed: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"])

const single: ReadonlySet<string> = new Set(["items", "additionalProperties", "propertyNames", "not"])
