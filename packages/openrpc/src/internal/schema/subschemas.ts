/**
 * Where a JSON Schema holds others: what stands elsewhere in it is data, whatever
 * it looks like.
 */
import * as JsonSchema from "effect/JsonSchema"

/** @internal */
export type Draft07 = JsonSchema.JsonSchema

/** Neither `null` nor an array. @internal */
export const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const single = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])
const named = new Set(["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"])
const listed = new Set(["allOf", "anyOf", "oneOf", "prefixItems"])

/** What a position holds for schemas: one, a list, or one by name. */
const kindOf = (keyword: string, value: unknown): "single" | "listed" | "named" | undefined => {
  if (keyword === "items") return Array.isArray(value) ? "listed" : "single"
  if (single.has(keyword)) return "single"
  if (named.has(keyword)) return "named"
  return listed.has(keyword) ? "listed" : undefined
}

/** Changes a schema and those in it, from within. `true` and `false` stay what they are. @internal */
export const map = (schema: Draft07, change: (schema: Draft07) => Draft07): Draft07 => {
  const inner = (value: unknown): unknown => isObject(value) ? map(value, change) : value
  return change(mapValues(schema, (value, keyword) => {
    switch (kindOf(keyword, value)) {
      case "single":
        return inner(value)
      case "listed":
        return Array.isArray(value) ? value.map(inner) : value
      case "named":
        return isObject(value) ? mapValues(value, inner) : value
      default:
        return value
    }
  }))
}

/** Own members, in their order; `__proto__` is a name like any other. @internal */
export const mapValues = <A, B>(
  record: { readonly [name: string]: A },
  change: (value: A, name: string) => B
): { [name: string]: B } =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]))

/** Without some of its members. @internal */
export const without = <A>(record: { readonly [name: string]: A }, names: Iterable<string>): { [name: string]: A } => {
  const left = new Set(names)
  return Object.fromEntries(Object.entries(record).filter(([name]) => !left.has(name)))
}

/** From draft 2020-12. References to components are neither dialect's, and stay. @internal */
export const toDraft07 = (schema: Draft07): Draft07 =>
  JsonSchema.toDocumentDraft07({ dialect: "draft-2020-12", schema, definitions: {} }).schema
