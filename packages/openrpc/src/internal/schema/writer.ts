/**
 * Effect's representations of Schemas as JSON Schemas of draft 7 that share
 * `components.schemas`.
 */
import * as JsonSchema from "effect/JsonSchema"
import * as Representation from "effect/SchemaRepresentation"
import type { Draft07 } from "./subschemas.ts"
import { isObject, map, mapValues, toDraft07, without } from "./subschemas.ts"
import * as Unchecked from "./unchecked.ts"

/** @internal */
export interface Written {
  readonly schemas: ReadonlyArray<Draft07>
  readonly components: { readonly [name: string]: Draft07 }
}

/** @internal */
export const includeAnnotationKey = (key: string): boolean => key.startsWith("x-")

/** A Schema that no JSON has is a defect of the program, and throws. @internal */
export const write = (document: Representation.MultiDocument): Written => {
  const json = Representation.toJsonSchemaMultiDocument(document, { includeAnnotationKey })
  const { definitions, schemas } = JsonSchema.toMultiDocumentOpenApi3_1(json)
  const kept: { [name: string]: Draft07 } = {}
  const tidied = (schema: Draft07) => map(map(toDraft07(schema), open), (inner) => Unchecked.restore(tidy(inner), kept))
  const written = { schemas: schemas.map(tidied), components: mapValues(definitions, tidied) }
  return { ...written, components: { ...kept, ...written.components } }
}

/** Members beside those of a Struct, which Effect writes as another schema of the same value. */
const open = (schema: Draft07): Draft07 => {
  const { allOf, ...others } = schema
  if (!Array.isArray(allOf) || others["type"] !== "object") return schema
  const left = allOf.filter((inner) => !isRest(inner))
  if (left.length === allOf.length) return schema
  return { ...others, additionalProperties: rest, ...(left.length > 0 && { allOf: left }) }
}

const isRest = (schema: unknown): boolean =>
  isObject(schema) && Object.keys(schema).length === 2 && schema["type"] === "object"
  && isObject(schema["additionalProperties"]) && Object.keys(schema["additionalProperties"]).length === 0

/** What is not what Effect writes of every Struct. */
const rest = "rest"

/** Without what says nothing, and what draft 7 does not know. */
const tidy = (schema: Draft07): Draft07 => {
  const nothing = Object.entries(schema).filter(([keyword, value]) => saysNothing(schema, keyword, value))
  const left = nothing.length === 0 ? schema : without(schema, nothing.map(([keyword]) => keyword))
  return left["additionalProperties"] === rest ? { ...left, additionalProperties: true } : left
}

const saysNothing = (schema: Draft07, keyword: string, value: unknown): boolean => {
  switch (keyword) {
    case "contentSchema":
      return true
    case "additionalProperties":
      return value === true || (isObject(value) && Object.keys(value).length === 0)
    // Every integer of JSON that JavaScript can tell from its neighbours.
    case "minimum":
      return schema["type"] === "integer" && value === Number.MIN_SAFE_INTEGER
    case "maximum":
      return schema["type"] === "integer" && value === Number.MAX_SAFE_INTEGER
    default:
      return false
  }
}
