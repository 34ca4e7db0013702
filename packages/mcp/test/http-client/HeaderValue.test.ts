import { assert, describe, it } from "@effect/vitest"
import * as HeaderValue from "@parley/mcp/http/HeaderValue"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const tool = (properties: Schema.JsonObject, more: Schema.JsonObject = {}): Schema.Json => ({
  type: "object",
  properties,
  ...more
})

const region = { type: "string", "x-mcp-header": "Region" }

const refusedFor = (schema: Schema.Json): string => {
  const found = HeaderValue.headersOf(schema)
  return Result.isFailure(found) ? found.failure : `nothing, but ${JSON.stringify(found.success)}`
}

describe("a value as the text of a header", () => {
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
  const examples: ReadonlyArray<readonly [string, string]> = [
    ["us-west1", "us-west1"],
    ["us west 1", "us west 1"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["", "=?base64??="],
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="],
    ["=?base64?open", "=?base64?open"],
    ["a\tb", "=?base64?YQli?="]
  ]
  it.each(examples)("%j is written as %j, and read back", (value, text) => {
    assert.strictEqual(HeaderValue.encode(value), text)
    assert.deepStrictEqual(HeaderValue.decode(text), Result.succeed(value))
  })

  it.prop(
    "every text without lone surrogates comes back, and travels as printable ASCII",
    [Schema.String],
    ([value]) => {
      const text = HeaderValue.encode(value)
      assert.match(text, /^[ -~]+$/)
      assert.deepStrictEqual(HeaderValue.decode(text), Result.succeed(value.toWellFormed()))
    }
  )

  it("what looks encoded is encoded once more, for it is none", () => {
    const value = "=?base64?bGl0ZXJhbA==?="
    assert.deepStrictEqual(HeaderValue.decode(HeaderValue.encode(value)), Result.succeed(value))
  })

  it("white space around a text is none of it, and a tab inside is", () => {
    assert.deepStrictEqual(HeaderValue.decode(" \tus-west1  "), Result.succeed("us-west1"))
    assert.deepStrictEqual(HeaderValue.decode("a\tb"), Result.succeed("a\tb"))
  })

  it.prop(
    "white space is removed at both ends, wherever else it stands",
    [Schema.Array(Schema.Literals(["\t", " ", "a"]))],
    ([characters]) => {
      const text = characters.join("")
      assert.deepStrictEqual(HeaderValue.decode(text), Result.succeed(text.replace(/^[\t ]+|[\t ]+$/g, "")))
    }
  )

  it("much white space inside a text does not take minutes", () => {
    const text = `a${" ".repeat(400_000)}b`
    assert.deepStrictEqual(HeaderValue.decode(text), Result.succeed(text))
  })

  it("what is no strict Base64 of UTF-8, or no printable ASCII, is malformed", () => {
    const malformed = [
      "=?base64?SGVsbG8?=",
      "=?base64?SGVs!!!bG8=?=",
      "=?base64?SGVsbG8=0?=",
      "=?base64?SGVsbG8= ?=",
      "=?base64?/w==?=",
      "Région",
      "a\u0007b"
    ]
    assert.deepStrictEqual(malformed.filter((text) => Result.isSuccess(HeaderValue.decode(text))), [])
  })
})

describe("annotations of an input schema", () => {
  it("are found at any depth of properties, with the name of their header", () => {
    const schema = tool({
      region,
      where: { type: "object", properties: { zone: { type: ["integer", "null"], "x-mcp-header": "Zone" } } },
      plain: { type: "number" }
    })
    assert.deepStrictEqual(
      HeaderValue.headersOf(schema),
      Result.succeed([{ path: ["region"], header: "Mcp-Param-Region" }, {
        path: ["where", "zone"],
        header: "Mcp-Param-Zone"
      }])
    )
  })

  it("are told from data, and from a property of that name", () => {
    const schema = tool({ "x-mcp-header": { type: "string" }, note: { default: { "x-mcp-header": "No" } } })
    assert.deepStrictEqual(HeaderValue.headersOf(schema), Result.succeed([]))
    assert.deepStrictEqual(HeaderValue.headersOf(true), Result.succeed([]))
  })

  it.each(["", "My Region", "Region:Primary", "Région", "Region\t1", "Region\n", 7, null])(
    "are refused where the name is %j",
    (name) => assert.match(refusedFor(tool({ value: { type: "string", "x-mcp-header": name } })), /no name of a header/)
  )

  it.each(["object", "array", "null", "number", ["string", "integer"]])("are refused on the type %j", (type) => {
    assert.match(refusedFor(tool({ value: { type, "x-mcp-header": "Value" } })), /no string, integer or boolean/)
  })

  it("are refused where a name comes twice, in any case", () => {
    const twice = tool({ a: { ...region, "x-mcp-header": "MyField" }, b: { ...region, "x-mcp-header": "myfield" } })
    assert.match(refusedFor(twice), /another property has myfield/)
  })

  it.each(
    [
      ["the root", { ...region }],
      ["items", tool({ list: { type: "array", items: region } })],
      ["a list of items", tool({ list: { type: "array", items: [region] } })],
      ["oneOf", tool({}, { oneOf: [{ properties: { region } }] })],
      ["if", tool({ inner: { if: { properties: { region } } } })],
      ["$defs", tool({ a: { $ref: "#/$defs/Region" } }, { $defs: { Region: region } })],
      ["patternProperties", tool({}, { patternProperties: { "^r": region } })],
      ["additionalProperties", tool({}, { additionalProperties: region })]
    ] as const
  )("are refused at %s", (_, schema) => {
    assert.match(refusedFor(schema), /something else than properties/)
  })

  it("are refused in a schema that is too deep, without an overflow", () => {
    let schema: Schema.Json = region
    for (let level = 0; level < 100_000; level++) schema = { properties: { a: schema } }
    assert.strictEqual(refusedFor(schema), "the schema is too deep")
  })
})

const headers = Result.getOrThrow(HeaderValue.headersOf(tool({
  region,
  priority: { type: "integer", "x-mcp-header": "Priority" },
  verbose: { type: "boolean", "x-mcp-header": "Verbose" },
  where: { type: "object", properties: { zone: { type: "string", "x-mcp-header": "Zone" } } }
})))

describe("the headers of a call", () => {
  it("carry each value as text, and none that is null, absent or of another type", () => {
    assert.deepStrictEqual(
      HeaderValue.valuesOf(headers, { region: " x", priority: 42, verbose: false, where: { zone: "z" } }),
      {
        "Mcp-Param-Region": "=?base64?IHg=?=",
        "Mcp-Param-Priority": "42",
        "Mcp-Param-Verbose": "false",
        "Mcp-Param-Zone": "z"
      }
    )
    const none = { region: null, priority: 2 ** 53, verbose: [], where: "here" }
    assert.deepStrictEqual(HeaderValue.valuesOf(headers, none), {})
    assert.deepStrictEqual(HeaderValue.valuesOf(headers, undefined), {})
  })

  const values = Schema.Union([Schema.String, Schema.Int, Schema.Boolean, Schema.Null])
  const args = Schema.Struct({ region: values, priority: values, where: Schema.Struct({ zone: values }) })
  it.prop("match the body they were made from, whatever it holds", [args], ([value]) => {
    const sent = HeaderValue.valuesOf(headers, value)
    assert.isUndefined(HeaderValue.mismatchOf(headers, value, (name) => sent[name]))
  })

  it("are held against the body: missing, different, malformed, or without a value there", () => {
    const check = (args: Schema.Json, sent: Readonly<Record<string, string>>) =>
      HeaderValue.mismatchOf(headers, args, (name) => sent[name]) ?? "nothing"
    assert.match(check({ region: "a" }, {}), /Mcp-Param-Region is missing/)
    assert.match(check({ region: "a" }, { "Mcp-Param-Region": "b" }), /does not match region/)
    assert.match(check({ region: "a" }, { "Mcp-Param-Region": "=?base64?YQ?=" }), /malformed/)
    assert.match(check({ region: null }, { "Mcp-Param-Region": "a" }), /does not match/)
    assert.strictEqual(check({ region: "a" }, { "Mcp-Param-Region": " =?base64?YQ==?= " }), "nothing")
    assert.strictEqual(check({ region: null }, {}), "nothing")
  })

  it("are compared as numbers where the body has one", () => {
    assert.isTrue(HeaderValue.matches("42.0", 42))
    assert.isTrue(HeaderValue.matches("4.2e1", 42))
    assert.isFalse(HeaderValue.matches("0x2a", 42))
    assert.isFalse(HeaderValue.matches("", 0))
    assert.isFalse(HeaderValue.matches("42.0", "42"))
    assert.isFalse(HeaderValue.matches("True", true))
  })
})

describe("Mcp-Name", () => {
  it("says the name of a tool or prompt, the URI of a resource, what an extension names", () => {
    assert.strictEqual(HeaderValue.nameOf("tools/call", { name: "add" }), "add")
    assert.strictEqual(HeaderValue.nameOf("resources/read", { uri: "file:///a" }), "file:///a")
    assert.strictEqual(HeaderValue.nameOf("weather/at", { city: "7" }, "city"), "7")
    assert.isUndefined(HeaderValue.nameOf("tools/list", { name: "add" }))
    assert.isUndefined(HeaderValue.nameOf("tools/call", { name: 7 }))
  })
})
