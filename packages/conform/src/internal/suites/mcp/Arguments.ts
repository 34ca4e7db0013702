/**
 * Arguments for a tool, made from its schema: some that fit, and some that do not. Each is held against the schema before it
 * is used, so that a schema which nothing here understands has none.
 */
import * as SchemaCheck from "@parley/json-schema/SchemaCheck"
import { JsonObject } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"

/** Arguments that fit, as few as possible. */
export const fitting = (schema: Schema.JsonObject): Schema.JsonObject | undefined => {
  const value = valueOf(schema, schema, 0)
  return JsonObject.isObject(value) && SchemaCheck.make(schema)(value) === undefined ? value : undefined
}

/** Arguments that do not fit, each with what is wrong with it. */
export interface Unfitting {
  readonly wrong: string
  readonly args: Schema.JsonObject
}

/** One without a member that is required, and one with a member of another type. */
export const unfitting = (schema: Schema.JsonObject): ReadonlyArray<Unfitting> => {
  const check = SchemaCheck.make(schema)
  const right = fitting(schema) ?? {}
  const [required] = requiredOf(schema)
  const without = required === undefined
    ? []
    : [{ wrong: `without ${required}, which is required`, args: JsonObject.omit(right, required) }]
  const typed = Object.entries(propertiesOf(schema)).flatMap(([name, property]) => {
    const other = otherOf(JsonObject.member(property, "type"))
    return other === undefined
      ? []
      : [{
        wrong: `with ${JSON.stringify(other)} as ${name}, which is another type`,
        args: { ...right, [name]: other }
      }]
  })
  return [...without, ...typed.slice(0, 1)].filter(({ args }) => {
    const issue = check(args)
    return issue !== undefined && issue.isUndecided !== true
  })
}

/** A value that is certainly of another type. Texts and numbers are not taken for each other: some servers convert them. */
const otherOf = (type: Schema.Json | undefined): Schema.Json | undefined => {
  switch (type) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return { parley: ["conform"] }
    case "array":
    case "object":
      return "parley"
    default:
      return undefined
  }
}

const requiredOf = (schema: Schema.JsonObject): ReadonlyArray<string> => {
  const required = schema["required"]
  return JsonObject.isArray(required) ? required.filter((name) => typeof name === "string") : []
}

const propertiesOf = (schema: Schema.JsonObject): Schema.JsonObject => {
  const properties = schema["properties"]
  return JsonObject.isObject(properties) ? properties : {}
}

const deepest = 6

/** A value that the schema may accept: the one that it names itself, or the smallest of its type. */
const valueOf = (schema: Schema.Json | undefined, root: Schema.JsonObject, depth: number): Schema.Json | undefined => {
  if (!JsonObject.isObject(schema) || depth > deepest) return schema === true ? "parley" : undefined
  const { $ref, anyOf, const: only, default: usual, enum: values, examples, oneOf } = schema
  for (const named of [only, usual, first(values), first(examples)]) if (named !== undefined) return named
  if (typeof $ref === "string") return valueOf(at(root, $ref), root, depth + 1)
  const choice = first(anyOf) ?? first(oneOf)
  if (choice !== undefined && schema["type"] === undefined) return valueOf(choice, root, depth + 1)
  const { type } = schema
  switch (JsonObject.isArray(type) ? type[0] : type) {
    case "string":
      return textOf(schema)
    case "number":
    case "integer":
      return numberOf(schema)
    case "boolean":
      return false
    case "null":
      return null
    case "array":
      return Array.from(
        { length: Number(schema["minItems"] ?? 0) },
        () => valueOf(schema["items"], root, depth + 1) ?? null
      )
    case "object":
      return Object.fromEntries(
        requiredOf(schema).map((name) => [
          name,
          valueOf(JsonObject.own(propertiesOf(schema), name), root, depth + 1) ?? "parley"
        ])
      )
    default:
      return "parley"
  }
}

const first = (list: Schema.Json | undefined): Schema.Json | undefined => JsonObject.isArray(list) ? list[0] : undefined

const at = (root: Schema.JsonObject, ref: string): Schema.Json | undefined =>
  ref.startsWith("#/")
    ? ref.slice(2).split("/").reduce<Schema.Json | undefined>((schema, token) => JsonObject.member(schema, token), root)
    : undefined

const formats: ReadonlyMap<Schema.Json | undefined, string> = new Map([
  ["uri", "https://example.com/"],
  ["url", "https://example.com/"],
  ["email", "parley@example.com"],
  ["date", "2026-01-01"],
  ["date-time", "2026-01-01T00:00:00Z"],
  ["uuid", "00000000-0000-4000-8000-000000000000"]
])

const textOf = ({ format, maxLength, minLength }: Schema.JsonObject): string => {
  const text = formats.get(format) ?? "parley"
  return text.padEnd(Number(minLength ?? 0), "y").slice(0, Number(maxLength ?? Infinity))
}

const numberOf = ({ exclusiveMaximum, exclusiveMinimum, maximum, minimum }: Schema.JsonObject): number => {
  const least = typeof minimum === "number"
    ? minimum
    : typeof exclusiveMinimum === "number"
    ? exclusiveMinimum + 1
    : undefined
  const most = typeof maximum === "number"
    ? maximum
    : typeof exclusiveMaximum === "number"
    ? exclusiveMaximum - 1
    : undefined
  return least ?? Math.min(1, most ?? 1)
}
