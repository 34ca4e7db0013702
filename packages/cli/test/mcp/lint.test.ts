import { assert, describe, it } from "@effect/vitest"
import type { ToolInfo } from "@parley/mcp/payload/Listing"
import type { Schema } from "effect"
import { lint } from "../../src/internal/mcp/offer/lint.ts"

const described = { description: "What it does." }

const tool = (inputSchema: Schema.JsonObject, more: Partial<ToolInfo> = {}): ToolInfo => ({
  name: "t",
  ...described,
  ...more,
  inputSchema: { type: "object", ...inputSchema } as ToolInfo["inputSchema"]
})

const property = (schema: Schema.JsonObject) => tool({ properties: { p: { ...described, ...schema } } })

/** A tool, and the places at which something is found. */
const tools: ReadonlyArray<readonly [title: string, tool: ToolInfo, places: ReadonlyArray<string>]> = [
  ["nothing in a tool that every model takes", property({ type: "string", format: "date-time" }), []],
  ["nothing in what only looks like a schema", property({ type: "object", default: { $ref: "#", const: 1 } }), []],
  ["nothing in properties with the names of keywords", tool({ properties: { $ref: described, const: described } }), []],
  ["a name that is too long", tool({}, { name: "t".repeat(65) }), ["name"]],
  ["a name with a dot", tool({}, { name: "admin.list" }), ["name"]],
  ["a missing description", tool({}, { description: " " }), ["description"]],
  ["a root that is no object", tool({ type: "string" }), ["inputSchema.type"]],
  ...["anyOf", "oneOf", "allOf"].map((keyword) =>
    [`a choice at the root (${keyword})`, tool({ [keyword]: [] }), [`inputSchema.${keyword}`]] as const
  ),
  ["no choice further in", property({ anyOf: [{ type: "string" }, { type: "integer" }] }), []],
  ["a property without a description", tool({ properties: { p: {} } }), ["inputSchema.properties.p.description"]],
  ["a tag in a description", tool({}, { description: "Adds.\u{e0041}" }), ["description"]],
  ["an invisible character in a name", tool({}, { name: "a\u200b" }), ["name", "name"]],
  ["what is hidden deep within", property({ enum: ["a\u2060"], "x\u00ad": 1 }), [
    "inputSchema.properties.p.enum.0",
    "inputSchema.properties.p.x\u00ad"
  ]],
  ["nothing in line ends of a description", tool({}, { description: "a\n\tb" }), []],
  ["a reference", property({ $ref: "#/$defs/a" }), ["inputSchema.properties.p.$ref"]],
  ["a format", property({ type: "string", format: "uri" }), ["inputSchema.properties.p.format"]],
  ["a list without items", property({ type: "array" }), ["inputSchema.properties.p.type"]],
  ["bounds that are excluded", property({ type: "array", items: { type: "number", exclusiveMinimum: 0 } }), [
    "inputSchema.properties.p.items.exclusiveMinimum"
  ]],
  ["a constant in a definition", tool({ $defs: { a: { anyOf: [{ const: 1 }] } } }), [
    "inputSchema.$defs.a.anyOf.0.const"
  ]]
]

describe("what models refuse of tools has", () => {
  for (const [title, tool, places] of tools) {
    it(title, () => {
      assert.deepStrictEqual(lint([tool]).map(({ path }) => path.join(".")), places)
    })
  }
})
