/**
 * The JSON Schemas that clients see, from Effect's Schemas: of the dialect 2020-12,
 * which is the default of the protocol, so that they do not name it.
 */
import type * as Params from "@parley/contract/Params"
import * as Schema from "effect/Schema"
import * as HeaderValue from "../../http/HeaderValue.ts"
import type { ObjectSchema } from "../../payload/Listing.ts"
import { isObject, keyOf } from "../Json.ts"
import { minimal } from "./minimal.ts"

/** A Schema from fields, or as it is. @internal */
export const schemaOf = (declared: Params.Codec | Params.Fields): Params.Codec =>
  // The types of both stand in the parameter; the predicate narrows neither.
  isFields(declared) ? Schema.Struct(declared) : declared as Params.Codec

const isFields = (declared: Schema.Constraint | Params.Fields): declared is Params.Fields => !Schema.isSchema(declared)

/** What happens to members that a Schema does not have: they are refused, or left out. @internal */
export type Excess = "error" | "ignore"

/** Any JSON Schema; definitions stand in `$defs`, and the root is no mere reference to one. @internal */
export const fromSchema = (schema: Schema.Constraint, onExcessProperty: Excess = "ignore"): Schema.JsonObject => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  const document = root as Schema.JsonObject // What Effect writes is JSON.
  const $defs = definitions as Schema.JsonObject // The same.
  const whole = saidObject(inlined(document, $defs), $defs)
  return minimal(Object.keys($defs).length === 0 ? whole : { ...whole, $defs })
}

const inlined = (root: Schema.JsonObject, definitions: Schema.JsonObject): Schema.JsonObject => {
  const { $ref, ...rest } = root
  if (typeof $ref !== "string" || !$ref.startsWith(definition)) return root
  const target = definitions[keyOf($ref.slice(definition.length))]
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

/** The JSON Schema of a tool's arguments. Partial: throws where they are no object, or a header cannot be one. @internal */
export const inputSchema = (
  tool: string,
  declared: Schema.Constraint | Params.Fields | undefined,
  headers: { readonly [property: string]: string },
  onExcessProperty: Excess
): ObjectSchema => {
  if (declared === undefined) return empty
  if (isFields(declared) && Object.keys(declared).length === 0) return empty
  const schema = fromSchema(isFields(declared) ? Schema.Struct(declared) : declared, onExcessProperty)
  if (schema["type"] !== "object") throw new TypeError(`the arguments of the tool ${tool} are no object`)
  return withHeaders(tool, { ...schema, type: "object" }, headers)
}

const empty: ObjectSchema = { type: "object", properties: {}, additionalProperties: false }

/** Marks properties whose values travel in headers, too. @internal */
export const withHeaders = (
  tool: string,
  schema: ObjectSchema,
  headers: { readonly [property: string]: string }
): ObjectSchema => {
  const marked = Object.entries(headers).reduce((schema, [name, header]) => {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {}
    const property = properties[name]
    if (!Object.hasOwn(properties, name) || !isObject(property)) {
      throw new TypeError(`the tool ${tool} has no argument ${name} to put into a header`)
    }
    return { ...schema, properties: { ...properties, [name]: { ...property, [HeaderValue.annotation]: header } } }
  }, schema)
  const found = HeaderValue.headersOf(marked)
  if (found._tag === "Failure") throw new TypeError(`the headers of the tool ${tool} cannot be: ${found.failure}`)
  return marked
}
