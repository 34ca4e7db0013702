import { assert, describe, it } from "@effect/vitest"
import { ElicitRequestFormParamsSchema } from "@modelcontextprotocol/sdk/types.js"
import * as ClientRequests from "@parley/mcp/server/ClientRequests"
import { Schema } from "effect"

const Titled = Schema.Union([
  Schema.Literal("s").annotate({ title: "Small" }),
  Schema.Literal("l").annotate({ title: "Large" })
])

const titles = [{ const: "s", title: "Small" }, { const: "l", title: "Large" }]

const fields: ReadonlyArray<
  readonly [title: string, field: Schema.ConstraintCodec<unknown, unknown>, json: Schema.JsonObject]
> = [
  ["a text", Schema.String, { type: "string" }],
  [
    "a text with all it may say",
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(9)).annotate({
      title: "Name",
      description: "Yours",
      default: "Ann"
    }),
    { type: "string", title: "Name", description: "Yours", default: "Ann", minLength: 1, maxLength: 9 }
  ],
  ["an address", Schema.String.annotate({ format: "email" }), { type: "string", format: "email" }],
  [
    "a date",
    Schema.Date.annotate({ format: "date-time", title: "When", description: "About" }),
    { type: "string", format: "date-time", title: "When", description: "About" }
  ],
  ["a text of a format that forms do not have", Schema.String.annotate({ format: "uuid" }), { type: "string" }],
  ["a text with a pattern, which forms do not have", Schema.String.check(Schema.isPattern(/^a/)), { type: "string" }],
  ["a text with an identifier", Schema.String.annotate({ identifier: "A/text~" }), { type: "string" }],
  ["a whole number", Schema.Int, { type: "integer" }],
  [
    "a whole number between bounds",
    Schema.Int.check(Schema.isGreaterThan(0), Schema.isLessThan(10)).annotate({ default: 5 }),
    { type: "integer", minimum: 1, maximum: 9, default: 5 }
  ],
  ["a number", Schema.Finite, { type: "number" }],
  ["a number that may be none", Schema.Number, { type: "number" }],
  [
    "a number between bounds",
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
    { type: "number", minimum: 0, maximum: 1 }
  ],
  ["yes or no", Schema.Boolean.annotate({ default: true }), { type: "boolean", default: true }],
  [
    "a choice",
    Schema.Literals(["s", "l"]).annotate({ title: "Size", default: "s" }),
    { type: "string", title: "Size", default: "s", enum: ["s", "l"] }
  ],
  ["a choice of one", Schema.Literal("s"), { type: "string", enum: ["s"] }],
  ["a choice with titles", Titled, { type: "string", oneOf: titles }],
  [
    "a choice of which one has a title",
    Schema.Union([Schema.Literal("s"), Schema.Literal("l").annotate({ title: "Large" })]),
    { type: "string", oneOf: [{ const: "s", title: "s" }, { const: "l", title: "Large" }] }
  ],
  [
    "a choice with titles in the older words",
    Schema.Literals(["s", "l"]).annotate({ enumNames: ["Small", "Large"] }),
    { type: "string", enumNames: ["Small", "Large"], enum: ["s", "l"] }
  ],
  [
    "several choices",
    Schema.Array(Schema.Literals(["s", "l"])).check(Schema.isMinLength(1), Schema.isMaxLength(2)),
    { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["s", "l"] } }
  ],
  [
    "several choices with titles",
    Schema.Array(Titled).annotate({ title: "Sizes" }),
    { type: "array", title: "Sizes", items: { anyOf: titles } }
  ]
]

const unsuitable: ReadonlyArray<readonly [title: string, field: Schema.ConstraintCodec<unknown, unknown>]> = [
  ["an object", Schema.Struct({ a: Schema.String })],
  ["a list of texts", Schema.Array(Schema.String)],
  ["a tuple", Schema.Tuple([Schema.String])],
  ["null", Schema.Null],
  ["a text or null", Schema.NullOr(Schema.String)],
  ["a text or a number", Schema.Union([Schema.String, Schema.Finite])],
  ["a choice of numbers", Schema.Literals([1, 2])],
  ["a choice of texts and numbers", Schema.Literals(["a", 2])],
  ["several numbers", Schema.Array(Schema.Literals([1, 2]))],
  ["anything", Schema.Unknown]
]

describe("the JSON Schema of a form", () => {
  for (const [title, field, json] of fields) {
    it(`has ${title}`, () => {
      const schema = ClientRequests.requestedSchema({ field })
      assert.deepStrictEqual(schema, { type: "object", properties: { field: json }, required: ["field"] })
      ElicitRequestFormParamsSchema.parse({ mode: "form", message: "?", requestedSchema: schema })
    })
  }

  for (const [title, field] of unsuitable) {
    it(`has no place for ${title}`, () => {
      assert.throws(
        () => ClientRequests.requestedSchema({ fine: Schema.String, field }),
        ClientRequests.UnsuitableForm,
        /"field"/
      )
    })
  }

  it("names what must be filled in, and leaves out of that what need not", () => {
    const form = {
      must: Schema.String,
      may: Schema.optionalKey(Schema.String),
      mayBeUndefined: Schema.optional(Schema.Int.annotate({ title: "Count" }))
    }
    assert.deepStrictEqual(ClientRequests.requestedSchema(form), {
      type: "object",
      properties: {
        must: { type: "string" },
        may: { type: "string" },
        mayBeUndefined: { type: "integer", title: "Count" }
      },
      required: ["must"]
    })
    assert.deepStrictEqual(ClientRequests.requestedSchema({}), { type: "object", properties: {} })
    assert.notProperty(ClientRequests.requestedSchema({ may: form.may }), "required")
  })
})
