/** Generated records, as a server or client of good faith would make them: any members, well-formed URIs, base64 and schemas. */
import { Generators } from "@parley/conformance/shared"
import { Arbitrary, Schema } from "effect"
import * as Capabilities from "../../../src/payload/Capabilities.ts"
import * as Elicitation from "../../../src/payload/Elicitation.ts"
import * as Listing from "../../../src/payload/Listing.ts"
import * as Requests from "../../../src/payload/Requests.ts"
import * as Results from "../../../src/payload/Results.ts"
import * as Roots from "../../../src/payload/Roots.ts"
import * as Sampling from "../../../src/payload/Sampling.ts"

/** A text in letters and digits only. */
const plain = (text: string): string => Array.from(text, (character) => character.codePointAt(0)?.toString(36)).join("")

const base64 = (text: string): string => btoa(plain(text))

const web = (text: string): string => `https://example.test/${plain(text)}`

/** What a text under one of these names must look like, whatever was generated. Roots must be files. */
const formats: Readonly<Record<string, (text: string) => string>> = {
  data: base64,
  blob: base64,
  uri: (text) => `file:///${plain(text)}`,
  url: web,
  src: web,
  websiteUrl: web,
  uriTemplate: (text) => `test://${plain(text)}/{id}`,
  lastModified: (text) => new Date(text.length * 86_400_000).toISOString()
}

/**
 * Where the newest revision's file wants its `JSONObject`. That has neither null nor fractions, though the TypeScript
 * form, which is the source of the file, says `JSONValue` with both.
 */
const strictPlaces = new Set([
  "experimental",
  "extensions",
  "metadata",
  "completions",
  "logging",
  "sampling",
  "elicitation"
])

const strict = (json: unknown): unknown => {
  if (json === null) return false
  if (typeof json === "number") return Math.trunc(json)
  if (Array.isArray(json)) return json.map(strict)
  return isObject(json) ? Object.fromEntries(Object.entries(json).map(([key, value]) => [key, strict(value)])) : json
}

const inputSchemas = Generators.elements<Listing.ObjectSchema>(
  { type: "object" },
  { type: "object", properties: {} },
  { type: "object", properties: { a: { type: "string" }, b: true, c: false }, required: ["a"] },
  {
    type: "object",
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: { d: { $anchor: "d", type: "integer" } },
    properties: { "__proto__x": { $ref: "#d" } },
    allOf: [{ if: { minProperties: 1 }, else: false }],
    additionalProperties: false
  }
)

const outputSchemas = Generators.elements<Schema.JsonObject>(
  { type: "object", properties: { a: true } },
  { type: "array", items: { type: "string" } },
  { anyOf: [{ type: "string" }, { type: "object" }] },
  {}
)

const fields = Generators.elements<Schema.Json>(
  { type: "string" },
  { type: "string", format: "email", minLength: 1, default: "a@b.test" },
  { type: "number", minimum: 0.5, default: 1.5 },
  { type: "integer", title: "How many", maximum: 9 },
  { type: "boolean", default: false },
  { type: "string", enum: ["a", "b"] },
  { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
  { type: "string", oneOf: [{ const: "a", title: "A" }, { const: "b", title: "B" }], default: "a" }
)

const lists = Generators.elements<Schema.Json>(
  { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1 },
  { type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, default: ["a"] }
)

const requestedSchemas = Arbitrary.map(
  Arbitrary.all({
    first: Generators.oneOf(fields, fields, lists),
    others: Arbitrary.array(Arbitrary.all([Generators.key, fields]), { maxLength: 3 }),
    required: Generators.elements(true, false)
  }),
  ({ first, others, required }): Listing.ObjectSchema => ({
    type: "object",
    properties: { ...Object.fromEntries(others), first },
    ...(required ? { required: ["first"] } : {})
  })
)

const isObject = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json)

interface Schemas {
  readonly inputSchema: Listing.ObjectSchema
  readonly outputSchema: Schema.JsonObject
  readonly requestedSchema: Listing.ObjectSchema
}

/** Writes well-formed texts and schemas where the names ask for them. */
const wellFormed = (json: unknown, schemas: Schemas): unknown => {
  if (Array.isArray(json)) return json.map((element) => wellFormed(element, schemas))
  if (!isObject(json)) return json
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => {
      if (key === "inputSchema" || key === "outputSchema" || key === "requestedSchema") return [key, schemas[key]]
      if (strictPlaces.has(key)) return [key, strict(value)]
      const format = Object.hasOwn(formats, key) ? formats[key] : undefined
      return [key, typeof value === "string" && format !== undefined ? format(value) : wellFormed(value, schemas)]
    })
  )
}

const schemas = Arbitrary.all({
  inputSchema: inputSchemas,
  outputSchema: outputSchemas,
  requestedSchema: requestedSchemas
})

/** Values of a record. */
export const of = <A>(schema: Schema.Codec<A>): Arbitrary.Arbitrary<A> =>
  Arbitrary.map(
    Arbitrary.all({ value: Arbitrary.schema(schema), schemas }),
    ({ schemas, value }) => wellFormed(value, schemas) as A
  )

export const tool = of(Listing.ToolInfo)
export const resource = of(Listing.ResourceInfo)
export const resourceTemplate = of(Listing.ResourceTemplateInfo)
export const prompt = of(Listing.PromptInfo)
export const callToolResult = of(Results.CallToolResult)
export const readResourceResult = Arbitrary.map(
  of(Results.ReadResourceResult),
  (result): Results.ReadResourceResult =>
    result.ttlMs === undefined ? result : { ...result, ttlMs: Math.abs(result.ttlMs) }
)
export const getPromptResult = of(Results.GetPromptResult)
export const completeResult = of(Results.CompleteResult)
export const initializeResult = of(Results.InitializeResult)
export const discoverResult = of(Results.DiscoverResult)
export const elicitForm = of(Elicitation.ElicitForm)
export const elicitUrl = of(Elicitation.ElicitUrl)
export const sampleRequest = of(Sampling.SampleRequest)
export const sampleResult = of(Sampling.SampleResult)
export const rootsResult = of(Roots.RootsResult)
export const clientCapabilities = of(Capabilities.ClientCapabilities)
export const serverCapabilities = of(Capabilities.ServerCapabilities)
export const implementation = of(Capabilities.Implementation)
export const completeParams = of(Requests.CompleteParams)
export const callToolParams = of(Requests.CallToolParams)
export const progress = of(Requests.ProgressParams)

/**
 * Numbers are whole: the JSON form of the specification allows no others here, though its TypeScript form does, and
 * though a form may ask for them.
 */
export const elicitResult = Arbitrary.map(
  of(Elicitation.ElicitResult),
  (result): Elicitation.ElicitResult =>
    result.content === undefined ? result : {
      ...result,
      content: Object.fromEntries(
        Object.entries(result.content).map((
          [key, value]
        ) => [key, typeof value === "number" ? Math.trunc(value) : value])
      )
    }
)
