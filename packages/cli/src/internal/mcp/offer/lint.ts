/**
 * The tools of a server that real models refuse, or use badly. One such tool makes every request fail that has it among
 * its tools.
 *
 * Each rule has its source:
 *
 * - Names: OpenAI takes `^[a-zA-Z0-9_-]+$` with at most 64 characters, as the reference of its API says of functions;
 *   Anthropic takes the same with at most 128, which is the bound of MCP, too.
 * - The root is an object without choices: Anthropic answers 400 "input_schema does not support oneOf, allOf, or anyOf at
 *   the top level" (langchain-ai/langchain#39271, anthropics/claude-code#40075), and OpenAI does the same.
 * - References: Gemini refuses definitions that it cannot resolve (google-gemini/gemini-cli#13326), and members beside a
 *   `$ref` (anomalyco/opencode#12295).
 * - Formats: "only 'enum' and 'date-time' are supported for STRING type" (google-gemini/gemini-cli#2237).
 * - Keywords that Gemini does not know: "Unknown name" (hideya/langchain-mcp-tools-ts#36, zendev-sh/goai#108).
 * - A list without `items`: Gemini answers 400 "items: missing field" (DEEIX-AI/DEEIX-Chat#546).
 * - Descriptions: the specification calls them a hint to the model, and it has few others.
 * - Hidden characters: a model reads tags and zero-width characters that a person does not see.
 *
 * `additionalProperties` is no finding: the specification recommends it, and clients of models that do not know it leave it
 * out.
 */
import * as Subschemas from "@parley/json-schema/Subschemas"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import { Excerpt } from "@parley/protocol/shared"
import type * as Schema from "effect/Schema"
import { isObject } from "./ToolShape.ts"

export interface Finding {
  readonly tool: string
  /** The place in what the server says of the tool, from the outside in. */
  readonly path: ReadonlyArray<string>
  readonly rule: string
}

/** Finds the parts of these tools that models refuse, in the order of the tools. */
export const lint = (tools: ReadonlyArray<ToolInfo>): ReadonlyArray<Finding> =>
  tools.flatMap((tool) =>
    [...ofTool(tool), ...ofSchema(tool.inputSchema, ["inputSchema"]), ...hidingIn(tool, [])].map((found) => ({
      tool: tool.name,
      ...found
    }))
  )

type Found = Omit<Finding, "tool">

const ofTool = ({ description, inputSchema, name }: ToolInfo): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const say = (rule: string, ...path: ReadonlyArray<string>) => found.push({ path, rule })
  if (!callable.test(name)) say("OpenAI takes only names of 1 to 64 letters, digits, _ and -", "name")
  if (isBlank(description)) say("a model has nothing else to know it by", "description")
  if (inputSchema["type"] !== "object") say("every model wants the type object", "inputSchema", "type")
  for (const keyword of choices) {
    if (Object.hasOwn(inputSchema, keyword)) {
      say("Anthropic and OpenAI refuse choices at the root; put all into `properties`", "inputSchema", keyword)
    }
  }
  const properties = inputSchema["properties"]
  for (const [property, schema] of Object.entries(isObject(properties) ? properties : {})) {
    if (isObject(schema) && isBlank(schema["description"])) {
      say("a model has only the name to know it by", "inputSchema", "properties", property, "description")
    }
  }
  return found
}

/** The texts and names, however deep, that hold characters which a person does not see. */
const hidingIn = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<Found> => {
  if (typeof value === "string") return hides(value) ? [{ path, rule: hiding }] : []
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    ...hides(name) ? [{ path: [...path, name], rule: hiding }] : [],
    ...hidingIn(inner, [...path, name])
  ])
}

const hides = (text: string): boolean => Excerpt.lines(text) !== text

const hiding = "a person does not see all of this text, and a model reads it"

const callable = /^[a-zA-Z0-9_-]{1,64}$/

const choices = ["anyOf", "oneOf", "allOf"] as const

const isBlank = (text: unknown): boolean => typeof text !== "string" || text.trim() === ""

const ofSchema = (schema: Schema.Json, path: ReadonlyArray<string>): ReadonlyArray<Found> => {
  if (!isObject(schema)) return []
  const here = Object.entries(schema).flatMap(([keyword, value]): ReadonlyArray<Found> => {
    const rule = ruleOf(schema, keyword, value)
    return rule === undefined ? [] : [{ path: [...path, keyword], rule }]
  })
  return [
    ...here,
    ...Subschemas.located(schema).flatMap(([pointer, inner]) =>
      ofSchema(inner, [...path, ...pointer.slice(1).split("/").map(Subschemas.keyOf)])
    )
  ]
}

const ruleOf = (schema: Schema.JsonObject, keyword: string, value: Schema.Json): string | undefined => {
  if (keyword === "$ref") return "Gemini refuses references; write out what it refers to"
  if (unknown.has(keyword)) return "Gemini does not know this keyword"
  if (keyword === "format" && schema["type"] === "string" && typeof value === "string" && !formats.has(value)) {
    return "Gemini takes only the formats enum and date-time; say it in the description"
  }
  return keyword === "type" && value === "array" && !lists.some((items) => Object.hasOwn(schema, items))
    ? "Gemini and OpenAI want the `items` of a list"
    : undefined
}

const unknown: ReadonlySet<string> = new Set([
  "const",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "patternProperties",
  "propertyNames"
])

const formats: ReadonlySet<string> = new Set(["enum", "date-time"])

const lists = ["items", "prefixItems"] as const
