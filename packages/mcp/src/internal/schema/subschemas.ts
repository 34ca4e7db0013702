/** Where schemas stand in a schema; other keywords hold data. */
import type * as Schema from "effect/Schema"
import { isArray, isObject } from "../Json.ts"

/** The keywords that hold one schema or a list of them, and those that hold schemas by name. @internal */
export const subschemas: ReadonlyMap<string, "plain" | "named"> = new Map([
  ...[
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "contentSchema",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "then",
    "else"
  ].map((keyword) => [keyword, "plain"] as const),
  ...["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"]
    .map((keyword) => [keyword, "named"] as const)
])

/** The schemas right below a schema. @internal */
export const below = (schema: Schema.JsonObject): ReadonlyArray<Schema.Json> =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    const kind = subschemas.get(keyword)
    if (kind === undefined) return []
    return isArray(value) ? value : kind === "plain" ? [value] : isObject(value) ? Object.values(value) : []
  })
