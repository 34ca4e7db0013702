import { assert, describe, it } from "@effect/vitest"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpResource from "@parley/mcp/McpResource"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpToolkit from "@parley/mcp/McpToolkit"
import { Excerpt } from "@parley/protocol/shared"
import { Effect, Exit, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { spoken } from "./support/line.ts"

const nothing = () => Effect.succeed("")

describe("the name of a tool", () => {
  const makers: ReadonlyArray<readonly [title: string, make: (name: string) => unknown]> = [
    ["of Schemas", (name) => McpTool.make(name, {}, nothing)],
    ["of JSON Schemas", (name) => McpTool.raw(name, { inputSchema: { type: "object" } }, nothing)],
    ["of a toolkit", (name) => McpToolkit.tools(Toolkit.make(Tool.make(name)))]
  ]

  for (const [title, make] of makers) {
    it(`${title} is refused where the specification has none such`, () => {
      for (const name of ["", "bad name!", "a/b", "größe", "a\n", "a".repeat(129)]) {
        assert.throws(() => make(name), TypeError, Excerpt.quoted(name), name)
      }
      for (const name of ["a", "getUser", "DATA_EXPORT_v2", "admin.tools-list", "a".repeat(128)]) make(name)
    })
  }
})

it("the name of a prompt, a resource or a template is not empty", () => {
  assert.throws(() => McpPrompt.make("", {}, nothing), TypeError, "prompt")
  assert.throws(() => McpResource.make("test://a", { name: "" }, nothing), TypeError, "test://a")
  assert.throws(() => McpResource.template("test://{a}", { name: "" }, nothing), TypeError, "test://{a}")
})

describe("the JSON Schema that a model reads", () => {
  const Address = Schema.Struct({ street: Schema.String, number: Schema.optionalKey(Schema.Int) }).annotate({
    identifier: "Address"
  })
  const integer = { type: "integer" }

  it("says nothing of numbers that every whole number keeps, and refuses what a tool does not have", () => {
    const { inputSchema, outputSchema } = McpTool.make("t", {
      params: {
        any: Schema.Record(Schema.String, Schema.Boolean).annotate({ default: { additionalProperties: true } }),
        count: Schema.Int,
        few: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
        more: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
        many: Schema.Array(Schema.Int),
        pair: Schema.Tuple([Schema.Int, Schema.Struct({})]),
        named: Schema.Record(Schema.String, Schema.Int),
        either: Schema.Union([Schema.Int, Address]),
        at: Address
      },
      result: Schema.Struct({ count: Schema.Int, at: Address })
    }, () => Effect.die("unused")).info
    const address = (more: object) => ({
      type: "object",
      properties: { street: { type: "string" }, number: integer },
      required: ["street"],
      ...more
    })
    assert.deepStrictEqual(inputSchema, {
      type: "object",
      properties: {
        any: {
          type: "object",
          additionalProperties: { type: "boolean" },
          default: { additionalProperties: true }
        },
        count: integer,
        few: { ...integer, minimum: 1, maximum: 9 },
        more: { ...integer, minimum: 0 },
        many: { type: "array", items: integer },
        pair: {
          type: "array",
          prefixItems: [integer, { not: { type: "null" } }],
          maxItems: 2,
          minItems: 2
        },
        named: { type: "object", additionalProperties: integer },
        either: { anyOf: [integer, { $ref: "#/$defs/Address" }] },
        at: { $ref: "#/$defs/Address" }
      },
      required: ["any", "count", "few", "more", "many", "pair", "named", "either", "at"],
      additionalProperties: false,
      $defs: { Address: address({ additionalProperties: false }) }
    })
    assert.deepStrictEqual(outputSchema, {
      type: "object",
      properties: { count: integer, at: { $ref: "#/$defs/Address" } },
      required: ["count", "at"],
      $defs: { Address: address({}) }
    })
  })

  it("lets arguments pass that a tool does not have, where it says so", () => {
    const { info } = McpTool.make("t", { params: { a: Schema.Int }, onExcessProperty: "ignore" }, nothing)
    assert.deepStrictEqual(info.inputSchema, { type: "object", properties: { a: integer }, required: ["a"] })
  })
})

describe("an argument that a tool does not have", () => {
  const params = {
    row: Schema.optionalKey(Schema.Int),
    userId: Schema.optionalKey(Schema.String),
    at: Schema.optionalKey(Schema.Struct({ street: Schema.String }))
  }
  const call = Effect.fnUntraced(function*(tool: McpServer.Feature, args: Schema.JsonObject) {
    const { line, params } = yield* spoken(
      yield* McpServer.make({ name: "s", version: "1", features: [tool] }),
      "2026-07-28"
    )
    const { content, isError } = yield* line.result("tools/call", params({ name: "t", arguments: args }))
    const [{ text }] = content as [{ text: string }]
    return isError === true ? text.replace("Invalid arguments for the tool t: ", "") : Exit.succeed(text)
  })

  it.effect("is named, with the one that was probably meant", () =>
    Effect.gen(function*() {
      const tool = McpTool.make("t", { params }, nothing)
      const none = "There is no such argument"
      const answers: ReadonlyArray<readonly [args: Schema.JsonObject, text: string]> = [
        [{ rwo: 1 }, `rwo: ${none}; there is "row", "userId", "at"`],
        [{ rows: 1 }, `rows: ${none}; did you mean "row"?`],
        [{ user_id: "u" }, `user_id: ${none}; did you mean "userId"?`],
        [{ at: { stret: "x", street: "x" } }, `at.stret: ${none}; did you mean "street"?`],
        [{ row: "x", rows: 1 }, `rows: ${none}; did you mean "row"?; row: Expected number`],
        [{ ["x".repeat(70)]: 1 }, `${"x".repeat(70)}: ${none}; there is "row", "userId", "at"`]
      ]
      for (const [args, text] of answers) assert.strictEqual(yield* call(tool, args), text)
    }))

  it.effect("is left out where the tool says so, and of a tool that has none", () =>
    Effect.gen(function*() {
      const seen = (args: unknown) => Effect.succeed(JSON.stringify(args ?? null))
      const open = McpTool.make("t", { params, onExcessProperty: "ignore" }, seen)
      assert.deepStrictEqual(yield* call(open, { row: 1, rows: 1 }), Exit.succeed(`{"row":1}`))
      assert.deepStrictEqual(yield* call(McpTool.make("t", {}, seen), { rows: 1 }), Exit.succeed("null"))
    }))

  it.effect("is named, too, where the tool is one of a toolkit", () =>
    Effect.gen(function*() {
      const toolkit = Toolkit.make(Tool.make("t", { parameters: Schema.Struct(params), success: Schema.String }))
      const layer = toolkit.toLayer({ t: () => Effect.succeed("") })
      const server = yield* Effect.provide(
        McpServer.make({ name: "s", version: "1", features: McpToolkit.tools(toolkit) }),
        layer
      )
      const { line, params: of } = yield* spoken(server, "2026-07-28")
      const refused = yield* line.result("tools/call", of({ name: "t", arguments: { rows: 1 } }))
      const text = `Invalid arguments for the tool t: rows: There is no such argument; did you mean "row"?`
      assert.deepInclude(refused, { content: [{ type: "text", text }], isError: true })
    }))
})
