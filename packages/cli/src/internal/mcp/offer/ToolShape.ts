/**
 * The arguments of a tool, from its input schema, for a person to read.
 */
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import { Relayed } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"

/** One argument. */
export interface Parameter {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: Schema.Json
  /** The values of a parameter, as in `"a" | "b"` or `integer 1..6`. */
  readonly type: string
  readonly description: string | undefined
  /** The default value, if the schema has one. */
  readonly usual: Schema.Json | undefined
}

/** The arguments, those that are required first. */
export const parametersOf = ({ inputSchema }: Pick<ToolInfo, "inputSchema">): ReadonlyArray<Parameter> => {
  const required = inputSchema["required"]
  const properties = inputSchema["properties"]
  const parameters = Object.entries(isObject(properties) ? properties : {}).map(([name, property]): Parameter => {
    const schema = resolved(inputSchema, property)
    const description = isObject(schema) ? schema["description"] : undefined
    return {
      name,
      isRequired: Array.isArray(required) && required.includes(name),
      schema,
      type: typeOf(inputSchema, schema, 0),
      description: typeof description === "string" ? description : undefined,
      usual: isObject(schema) ? Relayed.memberOf(schema, "default") : undefined
    }
  })
  return [...parameters.filter(({ isRequired }) => isRequired), ...parameters.filter(({ isRequired }) => !isRequired)]
}

/** One line for each: `  name  type, required  description`. */
export const linesOf = (parameters: ReadonlyArray<Parameter>): ReadonlyArray<string> => {
  const width = Math.max(0, ...parameters.map(({ name }) => name.length))
  return parameters.map(({ description, isRequired, name, type, usual }) => {
    const notes = isRequired ? ", required" : usual === undefined ? "" : ` = ${JSON.stringify(usual)}`
    return `${name.padEnd(width)}  ${type}${notes}${description === undefined ? "" : `  ${description}`}`
  })
}

/**
 * Whether a tool is meant to take what its schema does not name. One that only allows it may get a word that was
 * mistyped.
 */
export const isOpen = ({ inputSchema }: Pick<ToolInfo, "inputSchema">): boolean =>
  isObject(inputSchema["additionalProperties"]) || isObject(inputSchema["patternProperties"])
  || !isObject(inputSchema["properties"])

/** A schema behind its references to the definitions of the whole. */
export const resolved = (root: Schema.JsonObject, schema: Schema.Json): Schema.Json => {
  let at = schema
  for (let steps = 0; steps < mostSteps && isObject(at); steps++) {
    const ref = at["$ref"]
    if (typeof ref !== "string" || !ref.startsWith("#/")) return at
    const { $ref: _, ...beside } = at
    const target = targetOf(root, ref)
    at = isObject(target) ? { ...target, ...beside } : target
  }
  return at
}

/** References may go in a circle. */
const mostSteps = 32

const targetOf = (root: Schema.JsonObject, ref: string): Schema.Json => {
  let at: Schema.Json | undefined = root
  for (const part of ref.slice(2).split("/")) at = isObject(at) ? at[part] : undefined
  return at ?? {}
}

/** A schema in a few words. */
const typeOf = (root: Schema.JsonObject, schema: Schema.Json, depth: number): string =>
  Array.from(new Set(typesOf(root, schema, depth))).join(" | ")

const typesOf = (root: Schema.JsonObject, unresolved: Schema.Json, depth: number): ReadonlyArray<string> => {
  const schema = resolved(root, unresolved)
  if (!isObject(schema)) return ["any"]
  if (Object.hasOwn(schema, "const")) return [JSON.stringify(schema["const"])]
  const values = schema["enum"]
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value))
  const choices = schema["anyOf"] ?? schema["oneOf"]
  if (Array.isArray(choices)) {
    return depth >= mostDepth || choices.length > mostChoices
      ? ["any"]
      : choices.flatMap((choice) => typesOf(root, choice, depth + 1))
  }
  const { items, type } = schema
  if (Array.isArray(type)) return type.map(String)
  if (type === "array") {
    return [items === undefined || depth >= mostDepth ? "list" : listOf(typeOf(root, items, depth + 1))]
  }
  return [typeof type === "string" ? type + boundsOf(schema) : "any"]
}

/** How many choices are shown. */
const mostChoices = 16

/** How deep a schema is shown; it may hold itself. */
const mostDepth = 3

const listOf = (item: string): string => item.includes(" ") ? `(${item})[]` : `${item}[]`

/** The bounds of a number, wherever in the schema they stand. */
const boundsOf = (schema: Schema.JsonObject): string => {
  const all = schema["allOf"]
  const parts = [schema, ...Array.isArray(all) ? all.filter(isObject) : []]
  const found = (key: string) => parts.map((part) => part[key]).find((value) => typeof value === "number")
  const minimum = found("minimum")
  const maximum = found("maximum")
  return minimum === undefined && maximum === undefined ? "" : ` ${minimum ?? ""}..${maximum ?? ""}`
}

export const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
