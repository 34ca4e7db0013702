/**
 * JSON Schemas that somebody else wrote, inside the JSON Schema of a Schema. Their references begin at their own root, as in
 * `#/$defs/Node`, and have to begin at the root of the whole.
 */
import * as Subschemas from "@parley/json-schema/Subschemas"
import type * as Schema from "effect/Schema"
import { isArray, isObject } from "../Json.ts"

/** Marks the root of a JSON Schema whose references have to move with it. @internal */
export const embedded = (schema: Schema.JsonObject): Schema.JsonObject =>
  refersWithin(schema) ? { ...schema, [marker]: true } : schema

/** A JSON Schema in which the references of embedded schemas lead to where their targets are. @internal */
export const placed = (root: Schema.JsonObject): Schema.JsonObject => place(root, "", undefined)

const marker = "x-parley-embedded"

const refersWithin = (schema: Schema.Json): boolean =>
  isObject(schema) && (isLocal(schema["$ref"]) || Subschemas.below(schema).some(refersWithin))

const isLocal = (reference: unknown): reference is string =>
  typeof reference === "string" && (reference === "#" || reference.startsWith("#/"))

/** `base` is the pointer to the embedded schema that this one stands in. */
const place = (schema: Schema.JsonObject, pointer: string, base: string | undefined): Schema.JsonObject => {
  const { [marker]: isRoot, ...rest } = schema
  const own = isRoot === true ? pointer : base
  const each = (schema: Schema.Json, token: string) => isObject(schema) ? place(schema, pointer + token, own) : schema
  return Object.fromEntries(
    Object.entries(rest).map(([keyword, value]) => {
      if (keyword === "$ref" && own !== undefined && isLocal(value)) return [keyword, `#${own}${value.slice(1)}`]
      const kind = Subschemas.keywords.get(keyword)
      if (kind === undefined) return [keyword, value]
      if (isArray(value)) return [keyword, value.map((schema, index) => each(schema, `/${keyword}/${index}`))]
      if (kind === "plain" || !isObject(value)) return [keyword, each(value, `/${keyword}`)]
      const named = Object.entries(value).map(([name, schema]) => [name, each(schema, `/${keyword}/${tokenOf(name)}`)])
      return [keyword, Object.fromEntries(named)]
    })
  )
}

/** A name as a part of a pointer in the fragment of a URI. */
const tokenOf = (name: string): string => encodeURIComponent(Subschemas.tokenOf(name))
