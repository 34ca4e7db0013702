import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as Content from "@parley/mcp/payload/Content"
import type * as Listing from "@parley/mcp/payload/Listing"
import * as Revision from "@parley/mcp/wire/Revision"
import { ErrorResponse } from "@parley/peer"
import { Context, Data, Effect, Exit, Logger, Schema } from "effect"
import { spoken } from "./support/line.ts"

const serverOf = (...features: ReadonlyArray<McpTool.McpTool>) => McpServer.make({ name: "s", version: "1", features })

const text = (value: string) => [{ type: "text", text: value }]

/** Calls a tool in a revision. */
const call = Effect.fnUntraced(function*(
  tool: McpTool.McpTool,
  args: Schema.JsonObject = {},
  revision: Revision.Revision = Revision.latestLegacy
) {
  const { line, params } = yield* spoken(yield* serverOf(tool), revision)
  return yield* line.ask("tools/call", params({ name: tool.info.name, arguments: args }))
})

const Address = Schema.Struct({ street: Schema.String }).annotate({ identifier: "Address" })

class TooFar extends Data.TaggedError("TooFar")<{ readonly kilometers: number }> {}

class Closed extends Schema.TaggedError<Closed>()("Closed", { until: Schema.String }) {
  override get message() {
    return `closed until ${this.until}`
  }
}

const shape = (kind: string, size: string, more: object) => ({
  type: "object",
  properties: { kind: { type: "string", enum: [kind] }, [size]: { type: "number" } },
  required: ["kind", size],
  ...more
})

const shapes = (more: object) => ({
  type: "object",
  anyOf: [shape("circle", "radius", more), shape("square", "side", more)]
})

describe("what a tool says about itself", () => {
  it.effect("comes from its Schemas, with their definitions and annotations", () =>
    Effect.gen(function*() {
      const tool = McpTool.make("deliver", {
        title: "Deliver",
        description: "Brings something.",
        params: {
          to: Address,
          from: Address,
          when: Schema.Literals(["now", "later"]).annotate({ description: "the hour" }),
          weight: Schema.optionalKey(Schema.Finite)
        },
        result: Schema.Struct({ at: Schema.String }),
        annotations: { readOnlyHint: false },
        meta: { "example.org/team": "post" }
      }, () => Effect.succeed({ at: "noon" }))
      const { line, params } = yield* spoken(yield* serverOf(tool), "2026-07-28")
      const address = { $ref: "#/$defs/Address" }
      assert.deepStrictEqual((yield* line.result("tools/list", params()))["tools"], [{
        name: "deliver",
        title: "Deliver",
        description: "Brings something.",
        inputSchema: {
          type: "object",
          properties: {
            to: address,
            from: address,
            when: { type: "string", enum: ["now", "later"], description: "the hour" },
            weight: { type: "number" }
          },
          required: ["to", "from", "when"],
          additionalProperties: false,
          $defs: {
            Address: {
              type: "object",
              properties: { street: { type: "string" } },
              required: ["street"],
              additionalProperties: false
            }
          }
        },
        outputSchema: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
        annotations: { readOnlyHint: false },
        _meta: { "example.org/team": "post" }
      }])
    }))

  it.effect("is an object of its own where its Schema has a name, and nothing where it takes nothing", () =>
    Effect.gen(function*() {
      const named = McpTool.make("named", { params: Address }, () => Effect.void)
      const { $defs: _, ...schema } = named.info.inputSchema
      assert.deepStrictEqual(schema, {
        type: "object",
        properties: { street: { type: "string" } },
        required: ["street"],
        additionalProperties: false
      })
      const nothing = { type: "object" as const, properties: {}, additionalProperties: false }
      assert.deepStrictEqual(McpTool.make("none", {}, () => Effect.void).info.inputSchema, nothing)
      assert.deepStrictEqual(McpTool.make("none", { params: {} }, () => Effect.void).info.inputSchema, nothing)
      assert.throws(() => McpTool.make("list", { params: Schema.Array(Schema.String) }, () => Effect.void), /no object/)
      assert.deepStrictEqual((yield* call(named, { street: "High" })).result?.["content"], [])
    }))

  it.effect("travels to the last keyword where it is raw", () =>
    Effect.gen(function*() {
      const inputSchema: Listing.ObjectSchema = JSON.parse(`{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "word": { "$anchor": "word", "type": "string", "x-any": [1] } },
        "properties": { "a": { "$ref": "#word" }, "b": { "if": { "const": 1 }, "then": { "type": "integer" }, "else": true } },
        "allOf": [{ "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }],
        "additionalProperties": false
      }`)
      const outputSchema = { type: "object", properties: { seen: true }, unevaluatedProperties: false } as const
      const raw = McpTool.raw("raw", { inputSchema, outputSchema }, (args) =>
        Effect.succeed(McpTool.result({ content: JSON.stringify(args), structuredContent: { seen: true } })))
      const { line, params } = yield* spoken(yield* serverOf(raw), "2026-07-28")
      assert.deepStrictEqual((yield* line.result("tools/list", params()))["tools"], [
        { name: "raw", inputSchema, outputSchema }
      ])
      const called = yield* line.result("tools/call", params({ name: "raw", arguments: { b: 2 } }))
      assert.deepStrictEqual([called["content"], called["structuredContent"]], [text(`{"b":2}`), {
        seen: true
      }])
    }))

  it.effect("is an object, too, where it is one of several", () =>
    Effect.gen(function*() {
      const Shape = Schema.Union([
        Schema.Struct({ kind: Schema.Literal("circle"), radius: Schema.Finite }),
        Schema.Struct({ kind: Schema.Literal("square"), side: Schema.Finite })
      ])
      const tool = McpTool.make("turn", { params: Shape, result: Shape }, (shape) => Effect.succeed(shape))
      const circle = { kind: "circle", radius: 1 }
      for (const revision of ["2025-06-18", "2026-07-28"] as const) {
        const { line, params } = yield* spoken(yield* serverOf(tool), revision)
        const listed = yield* line.result("tools/list", params())
        assert.deepInclude(listed["tools"], {
          name: "turn",
          inputSchema: shapes({ additionalProperties: false }),
          outputSchema: shapes({})
        })
        const called = yield* line.result("tools/call", params({ name: "turn", arguments: circle }))
        assert.deepStrictEqual(called["structuredContent"], circle)
      }
      const mixed = Schema.Union([Schema.Struct({}), Schema.String])
      assert.throws(() => McpTool.make("mixed", { params: mixed }, () => Effect.void), /no object/)
    }))

  it("marks the arguments that travel in headers, and refuses what cannot", () => {
    const make = (headers: Readonly<Record<string, string>>) =>
      McpTool.make(
        "t",
        { params: { region: Schema.String, at: Schema.Date, n: Schema.Finite }, headers },
        () => Effect.void
      ).info.inputSchema["properties"]
    assert.deepInclude(make({ region: "Region" }), { region: { type: "string", "x-mcp-header": "Region" } })
    assert.throws(() => make({ other: "Other" }), /no argument other/)
    assert.throws(() => make({ region: "no header" }), /headers of the tool t/)
    assert.throws(() => make({ region: "Same", at: "same" }), /headers of the tool t/)
    assert.throws(() => make({ n: "Number" }), /headers of the tool t/)
  })
})

describe("what a tool gives", () => {
  it.effect("becomes content: text, blocks, several of both, or nothing", () =>
    Effect.gen(function*() {
      const image = Content.image(new Uint8Array([1, 2, 3]), "image/png")
      const cases: ReadonlyArray<readonly [McpTool.Value<undefined>, Schema.Json]> = [
        ["hi", text("hi")],
        ["", text("")],
        [undefined, []],
        [image, [{ type: "image", data: "AQID", mimeType: "image/png" }]],
        [["a", image], [...text("a"), { type: "image", data: "AQID", mimeType: "image/png" }]],
        [[], []]
      ]
      for (const [value, content] of cases) {
        for (const effect of [Effect.succeed(value), Effect.as(Effect.yieldNow, value)]) {
          const { result } = yield* call(McpTool.make("t", {}, () => effect))
          assert.deepStrictEqual(result, { content })
        }
      }
      const failure = yield* call(McpTool.make("t", {}, () => Effect.succeed(McpTool.failure(["no", image]))))
      assert.deepInclude(failure.result, { isError: true })
      const marked = yield* call(McpTool.make("t", {}, () => Effect.succeed(McpTool.result({ meta: { "a.b/c": 1 } }))))
      assert.deepStrictEqual(marked.result, { content: [], _meta: { "a.b/c": 1 } })
    }))

  it.effect("is structured and text where it has a Schema, as far as the revision goes", () =>
    Effect.gen(function*() {
      const when = new Date(0)
      const Report = Schema.Struct({ at: Schema.Date, size: Schema.optionalKey(Schema.Finite) })
      const object = McpTool.make("object", { result: Report }, () => Effect.succeed({ at: when }))
      const list = McpTool.make("list", { result: Schema.Array(Schema.Int) }, () => Effect.succeed([1, 2]))
      const word = McpTool.make("word", { result: Schema.String }, () => Effect.succeed("plain"))
      for (const revision of Revision.all) {
        const { line, params } = yield* spoken(yield* serverOf(object, list, word), revision)
        const got = (name: string) =>
          Effect.map(line.result("tools/call", params({ name })), ({ content, structuredContent }) => ({
            content,
            structuredContent
          }))
        const structured = revision >= "2025-06-18"
        const any = revision >= "2026-07-28"
        const json = { at: "1970-01-01T00:00:00.000Z" }
        assert.deepStrictEqual(yield* got("object"), {
          content: text(JSON.stringify(json)),
          structuredContent: structured ? json : undefined
        })
        assert.deepStrictEqual(yield* got("list"), {
          content: text("[1,2]"),
          structuredContent: any ? [1, 2] : undefined
        })
        assert.deepStrictEqual(yield* got("word"), {
          content: text("plain"),
          structuredContent: any ? "plain" : undefined
        })
        const { tools } = yield* line.result("tools/list", params())
        const declared = (tools as ReadonlyArray<object>).map((tool) => Object.hasOwn(tool, "outputSchema"))
        assert.deepStrictEqual(declared, [structured, any, any])
      }
    }))

  it.effect("is our fault where it does not fit its Schema, and masked", () =>
    Effect.gen(function*() {
      const wrong = JSON.parse(`{"sum":"secret"}`) as { readonly sum: number }
      const result = Schema.Struct({ sum: Schema.Finite })
      const internal = { code: -32603, message: "Internal error" }
      const one = yield* call(McpTool.make("t", { result }, () => Effect.succeed(wrong)))
      assert.deepStrictEqual(one.error, internal)
      const two = yield* call(McpTool.make("t", { result }, () => Effect.as(Effect.yieldNow, wrong)))
      assert.deepStrictEqual(two.error, internal)
      const none = yield* call(
        McpTool.make("t", { result }, () => Effect.succeed(McpTool.result({ content: "secret" })))
      )
      assert.deepStrictEqual(none.error, internal)
    }).pipe(Effect.provide(Logger.layer([]))))
})

describe("arguments", () => {
  const tool = McpTool.make(
    "add",
    { params: { a: Schema.Finite, when: Schema.Date } },
    ({ a, when }) => Effect.succeed(`${a} ${when.getTime()}`)
  )

  it.effect("are decoded", () =>
    Effect.gen(function*() {
      const { result } = yield* call(tool, { a: 1, when: "1970-01-01T00:00:00.005Z" })
      assert.deepStrictEqual(result, { content: text("1 5") })
    }))

  for (const revision of Revision.all) {
    const becomes = revision >= "2025-11-25" ? "a result that the model sees" : "an error of the protocol"
    it.effect(`that do not fit become ${becomes} in ${revision}, with all that is wrong`, () =>
      Effect.gen(function*() {
        const { error, result } = yield* call(tool, { a: "x" }, revision)
        if (revision < "2025-11-25") {
          assert.deepStrictEqual(error, {
            code: -32602,
            message: "Invalid params: a: Expected number",
            data: [{ path: ["a"], message: "Expected number" }, { path: ["when"], message: "Missing key" }]
          })
        } else {
          assert.deepInclude(result, {
            isError: true,
            content: text("Invalid arguments for the tool add: a: Expected number; when: Missing key")
          })
        }
      }))

    it.effect(`of a raw tool that do not fit its JSON Schema become ${becomes} in ${revision}`, () =>
      Effect.gen(function*() {
        const size = { type: "integer", minimum: 1 }
        const inputSchema = { type: "object", properties: { size }, required: ["size"] } as const
        const raw = McpTool.raw("raw", { inputSchema }, (args) => Effect.succeed(JSON.stringify(args)))
        assert.deepInclude((yield* call(raw, { size: 1, more: [] }, revision)).result, {
          content: text(`{"size":1,"more":[]}`)
        })
        const { error, result } = yield* call(raw, { size: 0 }, revision)
        if (revision < "2025-11-25") {
          assert.deepInclude(error, { code: -32602, data: [{ path: ["size"], message: "it should be at least 1" }] })
        } else {
          assert.deepInclude(result, {
            isError: true,
            content: text("Invalid arguments for the tool raw: size: it should be at least 1")
          })
        }
      }))

    it.effect(`of an unknown tool, or that are no object, are an error of the protocol in ${revision}`, () =>
      Effect.gen(function*() {
        const { line, params } = yield* spoken(yield* serverOf(tool), revision)
        assert.deepStrictEqual(yield* line.refusal("tools/call", params({ name: "nope" })), {
          code: -32602,
          message: "Unknown tool: nope",
          data: { name: "nope" }
        })
        for (const bad of [{ name: "add", arguments: [1] }, { name: "add", arguments: "1" }, { name: 1 }, {}]) {
          const { code } = yield* line.refusal("tools/call", params(bad as Schema.JsonObject))
          assert.strictEqual(code, -32602, JSON.stringify(bad))
        }
        // A name that every object has is none of a tool.
        assert.strictEqual((yield* line.refusal("tools/call", params({ name: "toString" }))).code, -32602)
      }))
  }
})

describe("a failure", () => {
  it.effect("that is typed is shown to the model, with its message or its fields", () =>
    Effect.gen(function*() {
      const itself: Array<unknown> = []
      itself.push(itself)
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [new Closed({ until: "noon" }), "closed until noon"],
        [new TooFar({ kilometers: 7 }), `TooFar {"kilometers":7}`],
        ["no bread", "no bread"],
        [{ _tag: "Sold" }, "Sold"],
        [{ _tag: "Poor", owes: 10n }, `Poor {"owes":"10"}`],
        [{ _tag: "Round", itself }, "Round"],
        [new Error("plain"), "plain"]
      ]
      for (const [error, message] of cases) {
        for (const effect of [Effect.fail(error), Effect.andThen(Effect.yieldNow, Effect.fail(error))]) {
          for (const revision of ["2024-11-05", "2026-07-28"] as const) {
            const { result } = yield* call(McpTool.make("t", {}, () => effect), {}, revision)
            assert.deepInclude(result, { content: text(message), isError: true })
          }
        }
      }
    }))

  it.effect("that is an ErrorResponse is the answer of the protocol", () =>
    Effect.gen(function*() {
      const { error } = yield* call(McpTool.make("t", {}, () => Effect.fail(ErrorResponse.make(77, "no", { a: 1 }))))
      assert.deepStrictEqual(error, { code: 77, message: "no", data: { a: 1 } })
    }))

  it.effect("that nobody declared is masked, and logged", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const logger = Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${String(cause)}`))
      const secret = "db password=hunter2"
      for (const revision of Revision.all) {
        for (
          const tool of [
            McpTool.make("t", {}, () => Effect.die(new Error(secret))),
            McpTool.make("t", {}, () => Effect.andThen(Effect.yieldNow, Effect.die(new Error(secret)))),
            McpTool.make("t", {}, () => Exit.die(secret)),
            McpTool.make("t", {}, () => {
              throw new Error(secret)
            })
          ]
        ) {
          logged.length = 0
          const answer = yield* Effect.provide(call(tool, {}, revision), Logger.layer([logger]))
          assert.deepStrictEqual(answer.error, { code: -32603, message: "Internal error" }, revision)
          assert.notInclude(JSON.stringify(answer), "hunter2")
          assert.include(logged.join("\n"), secret)
        }
      }
    }))
})

describe("the services of a handler", () => {
  class Store extends Context.Service<Store, { readonly get: (key: string) => string }>()("test/Store") {}

  it.effect("are taken where the server is made, and what it acquires is released before the answer", () =>
    Effect.gen(function*() {
      const order: Array<string> = []
      const tool = McpTool.make("t", { params: { key: Schema.String } }, ({ key }) =>
        Effect.gen(function*() {
          yield* Effect.acquireRelease(
            Effect.sync(() => order.push("acquired")),
            () => Effect.sync(() => order.push("released"))
          )
          return (yield* Store).get(key)
        }))
      const server = yield* McpServer.make({ name: "s", version: "1", features: [tool] }).pipe(
        Effect.provideService(Store, { get: (key) => `value of ${key}` })
      )
      const { line } = yield* spoken(server, "2025-06-18")
      const { content } = yield* line.result("tools/call", { name: "t", arguments: { key: "a" } })
      assert.deepStrictEqual(content, text("value of a"))
      assert.deepStrictEqual(order, ["acquired", "released"])
    }))
})
