/**
 * The JSON Schemas that clients see, from Effect's Schemas: of the dialect 2020-12,
 * which is the default of the protocol, so that they do not name it.
 */
import type { Params } from "@parley/contract/shared"
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import * as Subschemas from "@parley/json-schema/Subschemas"
import * as Schema from "effect/Schema"
import { isArray, isObject } from "../Json.ts"
import { placed } from "./embedded.ts"

/** A Schema from fields, or as it is. @internal */
export const schemaOf = (declared: Params.Codec | Params.Fields): Params.Codec =>
  // The types of both stand in the parameter; the predicate narrows neither.
  isFields(declared) ? Schema.Struct(declared) : declared as Params.Codec

/** @internal */
export const isFields = (declared: Schema.Constraint | Params.Fields): declared is Params.Fields =>
  !Schema.isSchema(declared)

/** What happens to members that a Schema does not have: they are refused, or left out. @internal */
export type Excess = "error" | "ignore"

/**
 * Any JSON Schema; definitions stand in `$defs`, and the root is no mere reference to one. Partial: throws where an
 * annotation of the Schema brings in a reference that leads nowhere. `what` names what has the schema. @internal
 */
export const fromSchema = (
  what: string,
  schema: Schema.Constraint,
  onExcessProperty: Excess = "ignore"
): Schema.JsonObject => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  const document = root as Schema.JsonObject // What Effect writes is JSON.
  const $defs = definitions as Schema.JsonObject // The same.
  const whole = saidObject(inlined(document, $defs), $defs)
  const made = placed(minimal(Object.keys($defs).length === 0 ? whole : { ...whole, $defs }))
  // The Schema itself is what checks, so patterns may be of any kind.
  SchemaCheck.refuseFaults(what, made, { patterns: false })
  return made
}

const inlined = (root: Schema.JsonObject, definitions: Schema.JsonObject): Schema.JsonObject => {
  const { $ref, ...rest } = root
  if (typeof $ref !== "string" || !$ref.startsWith(definition)) return root
  const target = definitions[Subschemas.keyOf($ref.slice(definition.length))]
  return isObject(target) ? { ...target, ...rest } : root
}

/** A choice of objects is an object: the protocol wants that said at the root. */
const saidObject = (root: Schema.JsonObject, definitions: Schema.JsonObject): Schema.JsonObject => {
  const choices = root["anyOf"] ?? root["oneOf"]
  return root["type"] === undefined && Array.isArray(choices) &&
      choices.every((choice: Schema.Json) => isObject(choice) && inlined(choice, definitions)["type"] === "object")
    ? { type: "object", ...root }
    : root
}

const definition = "#/$defs/"

/**
 * A JSON Schema without keywords that restrict nothing. Models read every keyword, and some refuse numbers as large as
 * the bounds that Effect writes of each whole number.
 */
const minimal = (schema: Schema.JsonObject): Schema.JsonObject =>
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
