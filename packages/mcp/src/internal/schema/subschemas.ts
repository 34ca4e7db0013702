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

/** The same, each with the part of a JSON pointer (RFC 6901) that leads to it. @internal */
export const located = (schema: Schema.JsonObject): ReadonlyArray<readonly [pointer: string, schema: Schema.Json]> =>
  Object.entries(schema).flatMap(([keyword, value]): ReadonlyArray<readonly [string, Schema.Json]> => {
    const kind = subschemas.get(keyword)
    if (kind === undefined) return []
    if (kind === "plain" && !isArray(value)) return [[`/${keyword}`, value]]
    return isArray(value) || isObject(value)
      ? Object.entries(value).map(([key, schema]) => [`/${keyword}/${tokenOf(key)}`, schema])
      : []
  })

/** A key as a token of a JSON pointer. @internal */
export const tokenOf = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")
