/** The JSON Schema of a form: the small part of JSON Schema that clients know how to show. */
import type { Params } from "@parley/contract/shared"
import * as Subschemas from "@parley/json-schema/Subschemas"
import * as Schema from "effect/Schema"
import type { ObjectSchema } from "../../payload/Listing.ts"
import * as StandardSchema from "../../schema/StandardSchema.ts"
import { isObject } from "../Json.ts"
import { schemaOf } from "./document.ts"

/** A field that no form can have. It is a mistake of the form's author, and so a defect. */
export class UnsuitableForm extends Error {
  override readonly name = "UnsuitableForm"
  readonly field: string

  constructor(field: string) {
    super(
      `the field ${JSON.stringify(field)} of a form is none of: string, number, boolean, choice of strings, choices`
    )
    this.field = field
  }
}

export const requestedSchema = (declared: Params.Fields | StandardSchema.Described): ObjectSchema => {
  const fields = StandardSchema.toRead(declared)
  const { definitions, schema } = Schema.toJsonSchemaDocument(schemaOf(fields), { includeAnnotationKey })
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"])
    ? schema["required"].filter((name) => typeof name === "string")
    : []
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const said = saidOf(fields, name, property)
        const field = fieldOf(said, definitions, !required.includes(name))
        if (field === undefined) throw new UnsuitableForm(name)
        return [name, field]
      })
    ),
    ...(required.length === 0 ? {} : { required })
  }
}

/** Titles of the values of an `enum`, in the words of the revision that first had some. */
const includeAnnotationKey = (key: string): boolean => key === "enumNames"

type JsonSchema = { readonly [keyword: string]: unknown }

type Definitions = JsonSchema

/** What a field says of itself is lost where its JSON is another type than its own, as a date's is: it is put back. */
const saidOf = (declared: Params.Fields | Params.Codec, name: string, property: unknown): unknown => {
  const fields: { readonly [name: string]: unknown } = Schema.isSchema(declared) ? {} : { ...declared }
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (!Schema.isSchema(field) || !isObject(property)) return property
  const said = Object.entries(Schema.resolveAnnotations(field) ?? {}).filter(([key, value]) =>
    putBack.has(key) && isText(value)
  )
  return { ...Object.fromEntries(said), ...property }
}

const putBack: ReadonlySet<string> = new Set(["title", "description", "format"])

const isText = (value: unknown): value is string => typeof value === "string"

/** What every field may say of itself. */
const described = ["title", "description", "default"] as const

const fieldOf = (property: unknown, definitions: Definitions, isOptional: boolean): Schema.JsonObject | undefined => {
  const schema = flat(property, definitions, isOptional)
  const choices = choicesOf(schema)
  if (choices !== undefined) {
    const kept = keep(schema, ...described, "enumNames")
    return choices.titled
      ? { type: "string", ...kept, oneOf: choices.of }
      : { type: "string", ...kept, enum: choices.of }
  }
  // What is not a choice of texts, yet lists its values, has no place in a form.
  if (schema["enum"] !== undefined) return undefined
  switch (schema["type"]) {
    case "string":
      return { type: "string", ...keep(schema, ...described, "minLength", "maxLength"), ...formatOf(schema) }
    case "integer":
      return { type: "integer", ...keep(schema, ...described), ...boundsOf(schema, 1) }
    case "number":
      return { type: "number", ...keep(schema, ...described), ...boundsOf(schema, 0) }
    case "boolean":
      return { type: "boolean", ...keep(schema, ...described) }
    case "array":
      return severalOf(schema, choicesOf(flat(schema["items"], definitions, false)))
  }
  return undefined
}

const severalOf = (schema: JsonSchema, choices: Choices | undefined): Schema.JsonObject | undefined =>
  choices && {
    type: "array",
    ...keep(schema, ...described, "minItems", "maxItems"),
    items: choices.titled ? { anyOf: choices.of } : { type: "string", enum: choices.of }
  }

/** One schema in place of references, of conditions that all hold, and of alternatives that JSON alone brings in. */
const flat = (input: unknown, definitions: Definitions, isOptional: boolean): JsonSchema => {
  if (!isObject(input)) return {}
  const { $ref, allOf, anyOf, ...schema } = input
  if (isText($ref)) {
    const name = Subschemas.keyOf(decodeURIComponent($ref.slice("#/$defs/".length)))
    return { ...flat(definitions[name], definitions, isOptional), ...schema }
  }
  if (Array.isArray(allOf)) {
    return flat(Object.assign({}, { anyOf }, schema, ...allOf), definitions, isOptional)
  }
  if (!Array.isArray(anyOf)) return schema
  const members = anyOf.map((member) => flat(member, definitions, false))
  // An optional field that may be undefined is null in JSON, and a number may be the name of one that JSON has not.
  const rest = members.filter(({ enum: values, type }) =>
    !(isOptional && type === "null") && !(Array.isArray(values) && values.includes("NaN"))
  )
  const [only] = rest
  return only !== undefined && rest.length === 1 ? { ...only, ...schema } : { ...schema, anyOf: rest }
}

/** The texts to choose from, with their titles where any has one. */
type Choices = { readonly titled: false; readonly of: ReadonlyArray<string> } | {
  readonly titled: true
  readonly of: ReadonlyArray<{ readonly const: string; readonly title: string }>
}

const choicesOf = ({ anyOf, enum: values, oneOf, type }: JsonSchema): Choices | undefined => {
  // Some libraries write no type beside the values.
  if ((type === "string" || type === undefined) && Array.isArray(values) && values.every(isText)) {
    return { titled: false, of: values }
  }
  const members = anyOf ?? oneOf
  if (!Array.isArray(members)) return undefined
  const choices = members.flatMap((member: unknown) => {
    const values = isObject(member) && member["type"] === "string" ? member["enum"] : undefined
    if (!isObject(member) || !Array.isArray(values) || !values.every(isText)) return []
    return values.map((value) => ({ const: value, title: isText(member["title"]) ? member["title"] : value }))
  })
  if (choices.length < members.length) return undefined
  return choices.some(({ const: value, title }) => value !== title)
    ? { titled: true, of: choices }
    : { titled: false, of: choices.map((choice) => choice.const) }
}

const keep = (schema: JsonSchema, ...keywords: ReadonlyArray<string>): Schema.JsonObject =>
  Object.fromEntries(
    // A generated JSON Schema holds JSON.
    keywords.flatMap((keyword) => schema[keyword] === undefined ? [] : [[keyword, schema[keyword] as Schema.Json]])
  )

const formats: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"])

const formatOf = (schema: JsonSchema): Schema.JsonObject => formats.has(schema["format"]) ? keep(schema, "format") : {}

/** A form knows inclusive bounds only; those that every whole number keeps say nothing. */
const boundsOf = (schema: JsonSchema, step: number): Schema.JsonObject => {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = schema
  const least = typeof exclusiveMinimum === "number" ? exclusiveMinimum + step : minimum
  const most = typeof exclusiveMaximum === "number" ? exclusiveMaximum - step : maximum
  return {
    ...(typeof least === "number" && least > Number.MIN_SAFE_INTEGER ? { minimum: least } : {}),
    ...(typeof most === "number" && most < Number.MAX_SAFE_INTEGER ? { maximum: most } : {})
  }
}
