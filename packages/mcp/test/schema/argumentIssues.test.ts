import { assert, describe, it } from "@effect/vitest"
import * as ModelTools from "@parley/mcp/host/ModelTools"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as McpToolkit from "@parley/mcp/McpToolkit"
import * as StandardSchema from "@parley/mcp/schema/StandardSchema"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import * as v from "valibot"
import { z } from "zod"

const Lines = Schema.Struct({ list: Schema.Array(Schema.Struct({ a: Schema.String })) })

const nothing = () => Effect.succeed("")

const schemas: ReadonlyArray<readonly [library: string, schema: StandardSchema.Described<object>]> = [
  ["zod", z.object({ list: z.array(z.object({ a: z.string() })) })],
  ["valibot", toStandardJsonSchema(v.object({ list: v.array(v.object({ a: v.string() })) }))],
  ["arktype", type({ list: type({ a: "string" }).array() })]
]

const serverOf = (...features: ReadonlyArray<McpServer.Feature>) =>
  McpServer.make({ name: "s", version: "1", features })

const toolkit = Toolkit.make(Tool.make("t", { parameters: Lines, success: Schema.String }))

const effects = [
  ["a Schema", serverOf(McpTool.make("t", { params: Lines }, nothing))],
  [
    "a toolkit",
    Effect.provide(
      McpServer.make({ name: "s", version: "1", features: McpToolkit.tools(toolkit) }),
      toolkit.toLayer({ t: nothing })
    )
  ]
] as const

/** What a model reads of a call that is refused. */
const refusal = Effect.fnUntraced(function*(server: ReturnType<typeof serverOf>, args: Schema.JsonObject) {
  const client = yield* Effect.provideServiceEffect(
    McpMemoryClient.make({ name: "c", version: "1" }),
    McpServer.McpServer,
    server
  )
  const error = yield* Effect.flip(client.callTool("t", args))
  const text = error._tag === "ToolError" ? ModelTools.toText(error.result) : error.message
  return text.replace("Invalid arguments for the tool t: ", "")
})

const lists = (length: number) => ({ list: Array.from({ length }, () => ({})) })

describe("arguments of which much is wrong", () => {
  it.effect.each(schemas)(
    "are refused with the first issues of %s, and the number of the others",
    ([, params]) =>
      Effect.gen(function*() {
        const text = yield* refusal(serverOf(McpTool.make("t", { params }, nothing)), lists(2_000))
        assert.match(text, /^list\.0\.a: .*; list\.62\.a: [^;]*; and 1937 more$/)
        const all = yield* refusal(serverOf(McpTool.make("t", { params }, nothing)), lists(64))
        assert.match(all, /; list\.63\.a: [^;]*$/)
      })
  )

  it.effect.each(effects)(
    "are refused with the first issues of %s, where they are few",
    ([, server]) =>
      Effect.gen(function*() {
        const text = yield* refusal(server, lists(100))
        assert.match(text, /^list\.0\.a: Missing key; .*; list\.62\.a: Missing key; and 37 more$/)
        assert.strictEqual(yield* refusal(server, lists(2_000)), "list.0.a: Missing key")
      })
  )

  it.effect("are read no further for a Schema than to the first issue, where they are many", () =>
    Effect.gen(function*() {
      let checks = 0
      const never = Schema.Int.check(Schema.makeFilter(() => ++checks < 0))
      const server = serverOf(McpTool.make("t", { params: { list: Schema.Array(never) } }, nothing))
      yield* refusal(server, { list: Array.from({ length: 2_000 }, () => 1) })
      assert.strictEqual(checks, 1)
    }))

  it.effect("are told without looking at more issues of a Standard Schema than are told", () =>
    Effect.gen(function*() {
      let looks = 0
      const issue = {
        path: ["a"],
        get message() {
          looks++
          return "no"
        }
      }
      const issues = Array.from({ length: 2_000 }, () => issue)
      const standard = { version: 1, vendor: "test", validate: () => ({ issues }) } as const
      const params = StandardSchema.input({ "~standard": standard }, { jsonSchema: { type: "object" } })
      const text = yield* refusal(serverOf(McpTool.make("t", { params }, nothing)), lists(2_000))
      assert.match(text, /^a: no; .*; and 1937 more$/)
      assert.isAtMost(looks, 64)
    }))

  it.effect("are told briefly, however long their names and the reasons are", () =>
    Effect.gen(function*() {
      const long = "x".repeat(100_000)
      const Names = Schema.Record(Schema.String, Lines.fields.list)
      const names = serverOf(McpTool.make("t", { params: Schema.Struct({ names: Names }) }, nothing))
      const texts = [
        yield* refusal(names, { names: { [long]: lists(100).list } }),
        yield* refusal(names, { [long]: 1, names: {} })
      ]
      for (const text of texts) {
        assert.include(text, `${"x".repeat(100)}`)
        assert.isBelow(text.length, 16_384)
      }
      const unknown = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`n${index}`, 1]))
      const strict = z.strictObject({ list: z.array(z.strictObject({ a: z.string() })) })
      const inner = yield* refusal(serverOf(McpTool.make("t", { params: strict }, nothing)), {
        list: [{ a: "", ...unknown }]
      })
      assert.match(inner, /^list\.0: Unrecognized keys: "n0", "n1"/)
      assert.isBelow(inner.length, 4_096)
      const outer = yield* refusal(serverOf(McpTool.make("t", { params: strict }, nothing)), { list: [], ...unknown })
      assert.match(outer, /^n0: There is no such argument; there is "list"; .*; and 1937 more$/)
      assert.isBelow(outer.length, 16_384)
    }))
})
