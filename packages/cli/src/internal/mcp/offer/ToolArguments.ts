/**
 * The arguments of a tool: an object as it was given, or values with names, of which texts are read as the tool's input
 * schema says.
 */
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import { Excerpt } from "@parley/protocol/shared"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Grammar from "../../arguments/grammar/Grammar.ts"
import * as ToolShape from "./ToolShape.ts"

/** The arguments, or their first problem. */
export const fromGiven = (tool: ToolInfo, given: Grammar.Given): Result.Result<Schema.JsonObject, string> =>
  Result.flatMap(read(tool, given), (args) => {
    const wrong = problemOf(tool, args)
    return wrong === undefined ? Result.succeed(args) : Result.fail(wrong)
  })

const read = (tool: ToolInfo, given: Grammar.Given): Result.Result<Schema.JsonObject, string> => {
  if (given._tag === "None") return Result.succeed({})
  if (given._tag === "Whole") {
    return ToolShape.isObject(given.value)
      ? Result.succeed(given.value)
      : Result.fail(`${given.place} is not an object`)
  }
  const parameters = new Map(ToolShape.parametersOf(tool).map((parameter) => [parameter.name, parameter]))
  const members: Array<readonly [name: string, json: string]> = []
  for (const [name, member] of given.members) {
    const parameter = parameters.get(name)
    if (parameter === undefined && !ToolShape.isOpen(tool)) return Result.fail(`${name} is not an argument`)
    const value = member.isJson ? member.text : valueOf(member.text, tool.inputSchema, parameter?.schema ?? {})
    if (value === undefined) {
      return Result.fail(`${name} must be ${parameter?.type}, but is ${JSON.stringify(Excerpt.line(member.text))}`)
    }
    members.push([name, value])
  }
  return Result.succeed(Grammar.objectOf(members))
}

/** The first argument that is missing, has another type or is not in its enumeration. The server checks deeper values. */
const problemOf = (tool: ToolInfo, args: Schema.JsonObject): string | undefined => {
  for (const { isRequired, name, schema, type } of ToolShape.parametersOf(tool)) {
    if (!Object.hasOwn(args, name)) {
      if (isRequired) return `${name} is missing`
      continue
    }
    const value = args[name] ?? null
    if (!fits(value, tool.inputSchema, schema)) return `${name} must be ${type}, but is ${JSON.stringify(value)}`
  }
  if (tool.inputSchema["additionalProperties"] !== false) return undefined
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(propertiesOf(tool), name))
  return unknown === undefined || ToolShape.isOpen(tool) ? undefined : `${unknown} is not an argument`
}

const propertiesOf = ({ inputSchema }: ToolInfo): Schema.JsonObject => {
  const properties = inputSchema["properties"]
  return ToolShape.isObject(properties) ? properties : {}
}

/** A text as the JSON of a value of a schema: as it is where that fits, but as a string where strings do. */
const valueOf = (text: string, root: Schema.JsonObject, schema: Schema.Json): string | undefined => {
  const parsed = Result.try((): Schema.Json => JSON.parse(text))
  const isValue = Result.isSuccess(parsed) && typeof parsed.success !== "string" && fits(parsed.success, root, schema)
  // If both fit, a text that looks like a number or an object counts as one, unless the schema names strings.
  if (isValue && !(isText(schema) && fits(text, root, schema))) return text
  if (fits(text, root, schema)) return JSON.stringify(text)
  return Result.isSuccess(parsed) && fits(parsed.success, root, schema) ? text : undefined
}

const isText = (schema: Schema.Json): boolean => ToolShape.isObject(schema) && schema["type"] === "string"

const fits = (value: Schema.Json, root: Schema.JsonObject, unresolved: Schema.Json): boolean => {
  const schema = ToolShape.resolved(root, unresolved)
  if (!ToolShape.isObject(schema)) return true
  if (Object.hasOwn(schema, "const") && !isSame(schema["const"], value)) return false
  const values = schema["enum"]
  if (Array.isArray(values) && !values.some((one) => isSame(one, value))) return false
  const choices = schema["anyOf"] ?? schema["oneOf"]
  if (Array.isArray(choices) && !choices.some((choice) => isShallow(value, root, choice))) return false
  return isOfType(value, schema["type"])
}

/** As `fits`, without choices of choices: a schema may hold itself. */
const isShallow = (value: Schema.Json, root: Schema.JsonObject, unresolved: Schema.Json): boolean => {
  const schema = ToolShape.resolved(root, unresolved)
  if (!ToolShape.isObject(schema)) return true
  const values = schema["enum"]
  return (!Object.hasOwn(schema, "const") || isSame(schema["const"], value))
    && (!Array.isArray(values) || values.some((one) => isSame(one, value)))
    && isOfType(value, schema["type"])
}

const isSame = (one: Schema.Json | undefined, other: Schema.Json): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const isOfType = (value: Schema.Json, type: Schema.Json | undefined): boolean => {
  if (type === undefined) return true
  const own = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
  return (Array.isArray(type) ? type : [type]).some((one) =>
    one === own || (one === "integer" && Number.isInteger(value))
  )
}
