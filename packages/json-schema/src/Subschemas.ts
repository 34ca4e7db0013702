/**
 * Where schemas stand in a JSON Schema, in the dialects from draft-04 to 2020-12. Other keywords hold data, whatever that
 * looks like.
 *
 * ```ts run
 * import { Subschemas } from "@parley/json-schema"
 *
 * const schema = { properties: { "a/b": { type: "string" } }, default: { properties: {} } }
 *
 * console.log(Subschemas.located(schema)) // => [ [ '/properties/a~1b', { type: 'string' } ] ]
 * ```
 *
 * @since 0.1.0
 */
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"

/**
 * The keywords that hold schemas: one or a list of them (`plain`), or schemas by name (`named`).
 *
 * @category constants
 * @since 0.1.0
 */
export const keywords: ReadonlyMap<string, "plain" | "named"> = new Map([
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

/**
 * The schemas right below a schema, each with the JSON pointer (RFC 6901) that leads to it.
 *
 * @category accessors
 * @since 0.1.0
 */
export const located = (schema: Schema.JsonObject): ReadonlyArray<readonly [pointer: string, schema: Schema.Json]> =>
  Object.entries(schema).flatMap(([keyword, value]): ReadonlyArray<readonly [string, Schema.Json]> => {
    const kind = keywords.get(keyword)
    if (kind === undefined) return []
    if (kind === "plain" && !JsonObject.isArray(value)) return [[`/${keyword}`, value]]
    return JsonObject.isArray(value) || JsonObject.isObject(value)
      ? Object.entries(value).map(([key, schema]) => [`/${keyword}/${tokenOf(key)}`, schema])
      : []
  })

/**
 * The schemas right below a schema.
 *
 * @category accessors
 * @since 0.1.0
 */
export const below = (schema: Schema.JsonObject): ReadonlyArray<Schema.Json> =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    const kind = keywords.get(keyword)
    if (kind === undefined) return []
    if (JsonObject.isArray(value)) return value
    return kind === "plain" ? [value] : JsonObject.isObject(value) ? Object.values(value) : []
  })

/** A schema that is an object. @category models @since 0.1.0 */
export interface Keywords {
  readonly [keyword: string]: unknown
}

/**
 * Changes a schema and those in it, from within. `true` and `false` stay what they are, and so does all that is no schema.
 *
 * @category combinators
 * @since 0.1.0
 */
export const map = (schema: Keywords, change: (schema: Keywords) => Keywords): Keywords => {
  const inner = (value: unknown): unknown => JsonObject.isObject(value) ? map(value, change) : value
  return change(Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      const kind = keywords.get(keyword)
      if (kind !== undefined && Array.isArray(value)) return [keyword, value.map(inner)]
      if (kind === "plain") return [keyword, inner(value)]
      if (kind === undefined || !JsonObject.isObject(value)) return [keyword, value]
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inner(schema)]))]
    })
  ))
}

/**
 * The key that a token of a JSON pointer names (RFC 6901, section 4).
 *
 * @category pointers
 * @since 0.1.0
 */
export const keyOf = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~")

/**
 * A key as a token of a JSON pointer (RFC 6901, section 3).
 *
 * @category pointers
 * @since 0.1.0
 */
export const tokenOf = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

/**
 * The fragment of a URI without its percent-encoding: a JSON pointer, or an anchor (RFC 6901, section 6). One that is not
 * encoded is the same.
 *
 * @category pointers
 * @since 0.1.0
 */
export const unescaped = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
