/**
 * JSON Schemas as Effect has them, and changes of them.
 */
import * as Subschemas from "@parley/json-schema/Subschemas"
import * as JsonSchema from "effect/JsonSchema"

/** @internal */
export type Draft07 = JsonSchema.JsonSchema

/** Neither `null` nor an array. @internal */
export const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Changes a schema and those in it, from within. @internal */
export const map = (schema: Draft07, change: (schema: Draft07) => Draft07): Draft07 => Subschemas.map(schema, change)

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
