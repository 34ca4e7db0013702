import { assert, describe, it } from "@effect/vitest"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpToolkit from "@parley/mcp/McpToolkit"
import { Arbitrary, Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

type Made = (schema: Schema.JsonObject) => unknown

/** Whoever takes a JSON Schema of ours. */
const makers: ReadonlyArray<readonly [string, Made]> = [
  ["arguments", (schema) => McpTool.raw("pay", { inputSchema: { ...schema, type: "object" } }, () => Effect.void)],
  [
    "results",
    (outputSchema) => McpTool.raw("pay", { inputSchema: { type: "object" }, outputSchema }, () => Effect.void)
  ],
  ["tools of a toolkit", (schema) => McpToolkit.tools(Toolkit.make(Tool.dynamic("pay", { parameters: schema })))]
]

const broken: ReadonlyArray<readonly [string, Schema.JsonObject, RegExp]> = [
  [
    "a misspelt definition",
    { properties: { amount: { $ref: "#/$defs/amuont" } }, $defs: { amount: { type: "number" } } },
    /the \$ref "#\/\$defs\/amuont" at "#\/properties\/amount" leads to no schema in it: correct the reference/
  ],
  [
    "an anchor that is nowhere",
    { properties: { a: { $ref: "#a" } } },
    /the \$ref "#a" at "#\/properties\/a" leads to no/
  ],
  [
    "a dynamic anchor",
    { $defs: { b: { items: { $dynamicRef: "#a" } } } },
    /the \$dynamicRef "#a" at "#\/\$defs\/b\/items"/
  ],
  [
    "an address",
    { properties: { a: { $ref: "https://a.example/money.json" } } },
    /the \$ref "https:\/\/a.example\/money.json" at "#\/properties\/a" leads out of it, and nothing is fetched: put/
  ],
  [
    "a definition of a definition",
    { properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: { anyOf: [true, { $ref: "#/$defs/c" }] } } },
    /the \$ref "#\/\$defs\/c" at "#\/\$defs\/b\/anyOf\/1"/
  ],
  [
    "a schema that only a reference leads to",
    { properties: { a: { $ref: "#/x-parts/money" } }, "x-parts": { money: { items: { $ref: "#/x-parts/none" } } } },
    /the \$ref "#\/x-parts\/none" at "#\/x-parts\/money\/items"/
  ],
  [
    "a definition without its name",
    { properties: { a: { $ref: "#/allOf/0/$defs" } }, allOf: [{ $defs: { a: true } }] },
    /the \$ref "#\/allOf\/0\/\$defs" at "#\/properties\/a" leads to no schema in it/
  ],
  ["a key with slashes", { $defs: { "a/b~c": { $ref: "#/$defs/x" } } }, /at "#\/\$defs\/a~1b~0c" leads/],
  ["an item that is none", { allOf: [true], properties: { a: { $ref: "#/allOf/" } } }, /the \$ref "#\/allOf\/" at/],
  ["a text", { title: "x", properties: { a: { $ref: "#/title" } } }, /at "#\/title" is no schema/],
  ["a number", { properties: { a: { $ref: 5 } } }, /the \$ref 5 at "#\/properties\/a" is no text/],
  ["a definition of another resource", {
    $defs: { a: { $id: "https://a.example/a", $ref: "#/$defs/b" }, b: true }
  }, /the \$ref "#\/\$defs\/b" at "#\/\$defs\/a"/],
  [
    "a dialect that nobody knows",
    { $schema: "https://a.example/dialect" },
    /the dialect "https:\/\/a.example\/dialect" at "#\/\$schema" is none of 2020-12, 2019-09, draft-07/
  ],
  [
    "a pattern of Python",
    { properties: { a: { pattern: "(?P<x>a)" } } },
    /the pattern \(\?P<x>a\) of the (?:results of the )?tool pay cannot be run/
  ],
  ["a member that is no schema", { properties: { a: 5 } }, /at "#\/properties\/a" is no schema/]
]

const sound: ReadonlyArray<readonly [string, Schema.JsonObject]> = [
  ["a member that has the name of a keyword", {
    properties: { $defs: { type: "number" }, a: { $ref: "#/properties/$defs" }, b: { $ref: "#/x-parts/$defs" } },
    "x-parts": { $defs: {} }
  }],
  ["itself", { properties: { next: { $ref: "#" } } }],
  ["a definition, an anchor and an address", {
    properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "#b" }, c: { $ref: "https://a.example/c#/items" } },
    $defs: { a: true, b: { $anchor: "b" }, c: { $id: "https://a.example/c", items: { type: "string" } } }
  }],
  ["data that looks like references", {
    properties: { $ref: { enum: [{ $ref: "#/none" }], default: { $ref: "#/none" } } },
    const: { $ref: "#/none" }
  }],
  ["names of members in an older draft", {
    $schema: "http://json-schema.org/draft-07/schema#",
    dependencies: { a: ["b"], c: { required: ["d"] } },
    definitions: { d: true },
    properties: { d: { $ref: "#/definitions/d" } }
  }],
  ...[
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema#",
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema"
  ].map(($schema) => [$schema, { $schema }] as const),
  ["a dialect that it describes", {
    $schema: "https://a.example/dialect",
    $defs: { dialect: { $id: "https://a.example/dialect", $vocabulary: {} } }
  }]
]

describe("a JSON Schema of ours whose parts cannot all be checked is refused where it is made", () => {
  for (const [whose, make] of makers) {
    for (const [name, schema, expected] of broken) {
      it(`a fault of ${whose}: ${name}`, () => {
        // A toolkit checks no arguments with such a schema.
        if (whose === "tools of a toolkit" && name === "a pattern of Python") make(schema)
        else assert.throws(() => make(schema), expected)
      })
    }
    for (const [name, schema] of sound) {
      it(`and not one of ${whose} that refers to ${name}`, () => {
        make(schema)
      })
    }
  }

  /** Where a schema may stand in another, by all of its keywords. */
  const below: ReadonlyArray<(schema: Schema.JsonObject) => Schema.JsonObject> = [
    ...["items", "contains", "additionalProperties", "not", "if", "then", "else", "propertyNames", "unevaluatedItems"]
      .map((keyword) => (schema: Schema.JsonObject) => ({ [keyword]: schema })),
    ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword) => (schema: Schema.JsonObject) => ({
      [keyword]: [{}, schema]
    })),
    ...["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"].flatMap((keyword) =>
      ["a", "$ref", "a/b", "~", ""].map((key) => (schema: Schema.JsonObject) => ({
        [keyword]: { z: true, [key]: schema }
      }))
    )
  ]

  it.prop("wherever the reference stands in it", {
    path: Arbitrary.array(Arbitrary.schema(Schema.Literals(below.map((_, index) => index))), { maxLength: 6 }),
    reference: Schema.Literals(["#/$defs/none", "#none", "none.json", "https://a.example/none", "#/properties/none/0"]),
    keyword: Schema.Literals(["$ref", "$dynamicRef"]),
    hidden: Schema.NullOr(Schema.Literals(["a", "a/b", "a~c", ""]))
  }, ({ hidden, keyword, path, reference }) => {
    const end = { [keyword]: reference, description: "here" }
    // A part that no keyword has is reached by a reference to it.
    const part = hidden === null
      ? end
      : { $ref: `#/x-parts/${hidden.replaceAll("~", "~0").replaceAll("/", "~1")}`, "x-parts": { [hidden]: end } }
    const whole = path.reduceRight<Schema.JsonObject>(
      // Each part begins a resource, in which its own references lead.
      (schema, index, depth) => ({ $id: `https://b.example/${depth}`, ...below[index]?.(schema) }),
      { $id: "https://b.example/end", ...part }
    )
    for (const [, make] of makers) assert.throws(() => make(whole), /leads (?:out of it|to no schema)/)
    // Without it, there is nothing to refuse.
    const mended = JSON.parse(JSON.stringify(whole, (_, value) => value === reference ? undefined : value))
    for (const [, make] of makers) make(mended)
  })

  it("of an annotation of a Schema", () => {
    const toJsonSchema = () => ({ $ref: "#/$defs/none" })
    const noted = Schema.String.check(Schema.makeFilter(() => true, { toJsonSchema }))
    const expected = (what: string) =>
      new RegExp(`the schema of ${what} pay cannot be used: the \\$ref "#/\\$defs/none"`)
    assert.throws(() => McpTool.make("pay", { params: { noted } }, () => Effect.void), expected("the tool"))
    const result = Schema.Struct({ noted })
    assert.throws(
      () => McpTool.make("pay", { result }, () => Effect.succeed({ noted: "" })),
      expected("the results of the tool")
    )
  })
})
