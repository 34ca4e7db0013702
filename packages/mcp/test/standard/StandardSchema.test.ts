import { assert, describe, it } from "@effect/vitest"
import * as McpMemoryClient from "@parley/mcp/McpMemoryClient"
import * as McpPrompt from "@parley/mcp/McpPrompt"
import * as McpServer from "@parley/mcp/McpServer"
import * as McpTool from "@parley/mcp/McpTool"
import * as StandardSchema from "@parley/mcp/schema/StandardSchema"
import { toStandardJsonSchema } from "@valibot/to-json-schema"
import { type } from "arktype"
import { Cause, Effect, Logger, Schema } from "effect"
import type { StandardSchemaV1 } from "effect/StandardSchema"
import * as v from "valibot"
import { z } from "zod"

type Feature = McpTool.McpTool | McpPrompt.McpPrompt

const connect = Effect.fnUntraced(function*(...features: ReadonlyArray<Feature>) {
  const server = yield* McpServer.make({ name: "s", version: "1", features })
  const handlers = { elicit: () => Effect.succeed({ action: "accept" as const, content: { name: "Ada" } }) }
  return yield* Effect.provideService(
    McpMemoryClient.make({ name: "c", version: "1", handlers, limits: { drain: 0 } }),
    McpServer.McpServer,
    server
  )
})

const nothing = () => Effect.succeed("")

const message = (run: () => unknown): string => {
  try {
    run()
    return "it threw nothing"
  } catch (error) {
    return String(error)
  }
}

describe("a Standard Schema without a JSON Schema", () => {
  const bare = v.object({ city: v.string() })

  it("is refused with what to pass", () => {
    // A program without types passes it.
    const untyped = bare as unknown as StandardSchema.Described
    const expected =
      "TypeError: a Standard Schema of valibot does not bring its JSON Schema: pass it as `jsonSchema` " +
      "to StandardSchema.input. zod brings it from 4.2 on; for valibot, pass the schema to toStandardJsonSchema of " +
      "@valibot/to-json-schema"
    assert.strictEqual(message(() => McpTool.make("t", { params: untyped }, nothing)), expected)
    assert.strictEqual(
      message(() => McpTool.make("t", { result: untyped }, nothing)),
      expected.replace("StandardSchema.input", "StandardSchema.output")
    )
  })

  it.effect("may be given one, which clients see", () =>
    Effect.gen(function*() {
      const jsonSchema = {
        type: "object",
        properties: { city: { type: "string", examples: ["Oslo"] } },
        required: ["city"]
      } as const
      const tool = McpTool.make(
        "t",
        { params: StandardSchema.input(bare, { jsonSchema }), result: StandardSchema.output(bare, { jsonSchema }) },
        ({ city }) => Effect.succeed({ city })
      )
      const client = yield* connect(tool)
      const [listed] = yield* client.listTools()
      assert.deepStrictEqual([listed?.inputSchema, listed?.outputSchema], [jsonSchema, jsonSchema])
      assert.deepStrictEqual((yield* client.callTool("t", { city: "Oslo" })).structuredContent, { city: "Oslo" })
    }))

  it("is told from one whose library cannot write it", () => {
    assert.strictEqual(
      message(() => McpTool.make("t", { params: z.object({ at: z.date() }) }, nothing)),
      "TypeError: zod cannot write the JSON Schema of the input of a Standard Schema (Date cannot be represented in " +
        "JSON Schema): change the schema, or pass `jsonSchema` to StandardSchema.input"
    )
  })

  it("is no object, and so neither arguments of a tool nor of a prompt", () => {
    assert.strictEqual(
      message(() => McpTool.make("t", { params: z.string() }, nothing)),
      "TypeError: the arguments of the tool t are no object"
    )
    // The type refuses it, too.
    const text = z.string() as unknown as McpPrompt.StandardArgs
    assert.strictEqual(
      message(() => McpPrompt.make("p", { params: text }, nothing)),
      "TypeError: the arguments of the prompt p are no object"
    )
  })
})

describe("an object of Standard Schemas, as other SDKs take it", () => {
  // A program without types passes it.
  const shape = (member: unknown) => ({ a: member }) as unknown as { readonly a: typeof Schema.String }
  const text = () => Effect.succeed("")

  it.each([
    { name: "arguments of a tool", make: () => McpTool.make("t", { params: shape(z.number()) }, text), vendor: "zod" },
    {
      name: "a result",
      make: () => McpTool.make("t", { result: shape(z.number()) as never }, text as never),
      vendor: "zod"
    },
    {
      name: "arguments of a prompt",
      make: () => McpPrompt.make("p", { params: shape(type("string")) }, text),
      vendor: "arktype"
    }
  ])("is refused with what to pass: $name", ({ make, vendor }) => {
    assert.throws(make, new RegExp(`"a" is a schema of ${vendor}, .* pass all of it as one schema of ${vendor}`))
  })
})

describe("a Standard Schema that transforms", () => {
  it.effect("gives a handler its output, and takes its input as a result", () =>
    Effect.gen(function*() {
      const tool = McpTool.make(
        "t",
        {
          params: z.object({ day: z.iso.date().transform((text) => new Date(text)) }),
          result: z.object({
            at: z.date().transform((date) => date.getUTCFullYear()).pipe(z.int()),
            note: z.string().optional()
          })
        },
        ({ day }) => Effect.succeed({ at: day, note: undefined })
      )
      const client = yield* connect(tool)
      const [listed] = yield* client.listTools()
      assert.deepInclude(listed?.inputSchema["properties"], {
        day: { type: "string", format: "date", pattern: z.regexes.date.source }
      })
      assert.deepStrictEqual(listed?.outputSchema?.["properties"], {
        at: { type: "integer" },
        note: { type: "string" }
      })
      assert.deepStrictEqual((yield* client.callTool("t", { day: "2026-11-30" })).structuredContent, { at: 2026 })
    }))

  it.effect("reads the results that a client gets", () =>
    Effect.gen(function*() {
      const client = yield* connect(
        McpTool.make("t", { result: z.object({ at: z.string() }) }, () => Effect.succeed({ at: "2026-11-30" }))
      )
      const result = StandardSchema.input(z.object({ at: z.iso.date().transform((text) => new Date(text)) }))
      const { at } = yield* client.callTool("t", {}, { result })
      assert.strictEqual(at.getTime(), Date.UTC(2026, 10, 30))
    }))

  it.effect("checks a whole result by its JSON Schema, and hides one that does not fit", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const logger = Logger.make(({ cause }) => void logged.push(Cause.pretty(cause)))
      const result = z.object({ at: z.date().transform((date) => date.getUTCFullYear()).pipe(z.int()) })
      const whole = (at: Schema.Json) => () => Effect.succeed(McpTool.result({ structuredContent: { at } }))
      const client = yield* connect(
        McpTool.make("fits", { result }, whole(2026)),
        McpTool.make("fails", { result }, whole("now")),
        // A program without types returns it.
        McpTool.make("wrong", { result }, () => Effect.succeed({ at: "now" as unknown as Date }))
      ).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual((yield* client.callTool("fits")).structuredContent, { at: 2026 })
      for (const name of ["fails", "wrong"]) {
        const error = yield* Effect.flip(client.callTool(name))
        assert.deepInclude(error, { _tag: "ProtocolError", code: -32603, text: "Internal error" })
      }
      assert.match(
        logged[0] ?? "",
        /the tool fails gave a result that does not fit its output schema at structuredContent.at/
      )
      assert.match(logged[1] ?? "", /expected date, received string/)
    }))

  it.effect("reads and writes the values of a schema that keeps their type", () =>
    Effect.gen(function*() {
      const codec = StandardSchema.input(type({ name: "string" }))
      assert.deepStrictEqual(yield* Schema.encodeEffect(codec)({ name: "Ada" }), { name: "Ada" })
      const numbers = StandardSchema.input(z.string().transform(Number))
      assert.strictEqual(yield* Schema.decodeEffect(numbers)("1"), 1)
      assert.match(String(yield* Effect.flip(Schema.encodeEffect(numbers)(1))), /expected string, received number/)
    }))
})

describe("asynchronous validation", () => {
  const known = async (city: string) => city !== "Atlantis"
  const city = z.string().refine(known, "no such city")

  it.effect("is waited for, in arguments, results and prompts", () =>
    Effect.gen(function*() {
      const client = yield* connect(
        McpTool.make("take", { params: z.object({ city }) }, ({ city }) => Effect.succeed(city)),
        McpTool.make("give", { result: z.object({ city }) }, () => Effect.succeed({ city: "Oslo" })),
        McpPrompt.make("p", { params: z.object({ city }) }, ({ city }) => Effect.succeed(city))
      )
      assert.deepStrictEqual((yield* client.callTool("take", { city: "Oslo" })).content, [{
        type: "text",
        text: "Oslo"
      }])
      const refused = yield* Effect.flip(client.callTool("take", { city: "Atlantis" }))
      assert.strictEqual(
        refused.message,
        "the tool take failed: Invalid arguments for the tool take: city: no such city"
      )
      assert.deepStrictEqual((yield* client.callTool("give")).structuredContent, { city: "Oslo" })
      assert.strictEqual((yield* client.getPrompt("p", { city: "Oslo" })).messages.length, 1)
      const prompt = yield* Effect.flip(client.getPrompt("p", { city: "Atlantis" }))
      assert.deepInclude(prompt, { _tag: "ProtocolError", code: -32602 })
    }))

  it.effect("is refused in a form, where an answer is read at once", () =>
    Effect.gen(function*() {
      const logged: Array<string> = []
      const logger = Logger.make(({ cause }) => void logged.push(Cause.pretty(cause)))
      const fields = z.object({ name: z.string().refine(known) })
      const client = yield* connect(
        McpTool.make("t", {}, (_, call) => Effect.as(call.elicit("k", { message: "?", fields }), ""))
      ).pipe(Effect.provide(Logger.layer([logger])))
      const error = yield* Effect.flip(client.callTool("t"))
      assert.deepInclude(error, { _tag: "ProtocolError", code: -32603 })
      assert.match(logged[0] ?? "", /the Schema of a form validates asynchronously/)
    }))
})

describe("a Standard Schema within other Schemas", () => {
  interface Folder {
    readonly name: string
    readonly folders: ReadonlyArray<Folder>
  }

  const Folder: z.ZodType<Folder, Folder> = z.lazy(() => z.object({ name: z.string(), folders: z.array(Folder) }))

  it.effect("is a field, whose references lead to its own parts", () =>
    Effect.gen(function*() {
      const tool = McpTool.make(
        "t",
        {
          params: {
            // The type of a lazy schema does not say that it brings its JSON Schema.
            "a/b": StandardSchema.input(Folder as StandardSchemaV1<Folder> & typeof Folder),
            limit: Schema.optionalKey(StandardSchema.input(type("number > 0").describe("a positive number")))
          }
        },
        (params) => Effect.succeed(params["a/b"].name)
      )
      const client = yield* connect(tool)
      const [listed] = yield* client.listTools()
      const properties = listed?.inputSchema["properties"] as Schema.JsonObject
      assert.deepStrictEqual(properties["limit"], {
        type: "number",
        exclusiveMinimum: 0,
        description: "a positive number"
      })
      const references = Array.from(JSON.stringify(properties["a/b"]).matchAll(/"\$ref":"([^"]+)"/g), ([, to]) => to)
      assert.isNotEmpty(references)
      for (const reference of references) assert.match(String(reference), /^#\/properties\/a~1b/)
      assert.notInclude(JSON.stringify(listed), "x-parley")
      const folder = { name: "root", folders: [{ name: "leaf", folders: [] }] }
      const given = yield* client.callTool("t", { "a/b": folder, limit: 1 })
      assert.deepStrictEqual(given.content, [{ type: "text", text: "root" }])
      const error = yield* Effect.flip(
        client.callTool("t", { "a/b": { ...folder, folders: [{ name: 1, folders: [] }] }, limit: 0 })
      )
      assert.match(error.message, /a\/b\.folders\.0\.name: Invalid input: expected string/)
      assert.match(error.message, /limit: must be /)
    }))

  it.effect("may be a choice of objects, as the arguments of a tool are", () =>
    Effect.gen(function*() {
      const params = toStandardJsonSchema(v.variant("kind", [
        v.object({ kind: v.literal("circle"), radius: v.number() }),
        v.object({ kind: v.literal("square"), side: v.number() })
      ]))
      const client = yield* connect(McpTool.make("t", { params }, (shape) => Effect.succeed(shape.kind)))
      const [listed] = yield* client.listTools()
      assert.strictEqual(listed?.inputSchema["type"], "object")
      const given = yield* client.callTool("t", { kind: "square", side: 1 })
      assert.deepStrictEqual(given.content, [{ type: "text", text: "square" }])
    }))

  it.effect("reports a nested member that it does not know as every Schema does", () =>
    Effect.gen(function*() {
      const params = z.object({ stay: z.strictObject({ nights: z.int() }), note: z.string() })
      const client = yield* connect(McpTool.make("t", { params }, nothing))
      const error = yield* Effect.flip(client.callTool("t", { stay: { nights: 1, night: 2 }, note: 1, other: 1 }))
      assert.strictEqual(
        error.message,
        "the tool t failed: Invalid arguments for the tool t: note: Invalid input: expected string, received number; " +
          `stay.night: There is no such argument; did you mean "nights"?`
      )
    }))

  it("is told from a Schema of Effect and from any other value", () => {
    const both = Schema.toStandardSchemaV1(Schema.String)
    const others = [both, undefined, null, "~standard", {}, { "~standard": {} }, Schema.String]
    assert.deepStrictEqual(others.map(StandardSchema.isStandardSchema), others.map(() => false))
    assert.deepStrictEqual([z.string(), v.string(), type("string")].map(StandardSchema.isStandardSchema), [
      true,
      true,
      true
    ])
  })
})
