import { assert, describe, it } from "@effect/vitest"
import { SchemaCheck } from "@parley/json-schema"
import { Arbitrary, Schema } from "effect"
import { parametersOf } from "../../src/internal/host/parameters.ts"
import type { ObjectSchema } from "../../src/payload/Listing.ts"

const chosen = <const A extends ReadonlyArray<string>>(...all: A) => Arbitrary.schema(Schema.Literals(all))

const named = chosen("a", "b", "c")

const part: Arbitrary.Arbitrary<Schema.JsonObject> = Arbitrary.map(
  Arbitrary.all({
    properties: Arbitrary.array(named, { maxLength: 3 }),
    required: Arbitrary.array(named, { maxLength: 2 }),
    closed: chosen("no", "additionalProperties", "unevaluatedProperties")
  }),
  ({ closed, properties, required }) => ({
    // In a choice, a member is what one branch says of it, though another one says nothing.
    properties: Object.fromEntries(properties.map((name) => [name, true])),
    required: [...new Set(required)],
    ...(closed !== "no" && { [closed]: false })
  })
)

const reference = Arbitrary.map(named, (name): Schema.JsonObject => ({ $ref: `#/$defs/${name}` }))

const node = (): Arbitrary.Arbitrary<Schema.JsonObject> =>
  Arbitrary.map(
    Arbitrary.all([
      part,
      Arbitrary.array(reference, { maxLength: 1 }),
      Arbitrary.array(
        Arbitrary.all([
          chosen("anyOf", "oneOf", "allOf"),
          Arbitrary.array(reference, { minLength: 1, maxLength: 3 })
        ]),
        { maxLength: 2 }
      )
    ]),
    ([part, [own], choices]) => ({ ...part, ...own, ...Object.fromEntries(choices) })
  )

/** A schema of parts that refer to each other, and to themselves. */
const graph: Arbitrary.Arbitrary<ObjectSchema> = Arbitrary.map(
  Arbitrary.all([node(), node(), node(), node()]),
  ([schema, a, b, c]) => ({ ...schema, type: "object", $defs: { a, b, c } })
)

const leaf: Arbitrary.Arbitrary<Schema.JsonObject> = Arbitrary.map(
  Arbitrary.all([part, chosen("part", "reference")]),
  ([part, kind]) => kind === "part" ? part : { $ref: "#/$defs/d" }
)

const schemaOf = (depth: number): Arbitrary.Arbitrary<Schema.JsonObject> =>
  Arbitrary.map(
    Arbitrary.all([
      part,
      Arbitrary.array(
        Arbitrary.all([
          chosen("anyOf", "oneOf", "allOf"),
          Arbitrary.array(depth === 0 ? leaf : schemaOf(depth - 1), { minLength: 1, maxLength: 3 })
        ]),
        { maxLength: 2 }
      )
    ]),
    ([part, choices]) => ({ ...part, ...Object.fromEntries(choices) })
  )

const whole: Arbitrary.Arbitrary<ObjectSchema> = Arbitrary.map(
  Arbitrary.all([schemaOf(1), part]),
  ([schema, d]) => ({ ...schema, type: "object", $defs: { d } })
)

const object: Arbitrary.Arbitrary<Schema.JsonObject> = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([named, chosen("1", "\"x\"", "[]")])),
  (all) => Object.fromEntries(all.map(([name, json]) => [name, JSON.parse(json)]))
)

/** What becomes of a schema. Throws where more of its members and entries are read for that than there may be. */
const within = (most: number, schema: ObjectSchema): Schema.JsonObject => {
  let looks = 0
  const seen = new WeakMap<object, object>()
  const watched = <A>(value: A): A => {
    if (typeof value !== "object" || value === null) return value
    const proxy = seen.get(value) ?? new Proxy(value, {
      get: (target, key) => {
        if (++looks > most) throw new RangeError(`${most} members and entries were read, and there are more`)
        return watched(Reflect.get(target, key))
      }
    })
    seen.set(value, proxy)
    // A proxy has the type of its target.
    return proxy as A
  }
  return parametersOf(watched(schema))
}

const many = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, index) => make(index))

const nested = (levels: number, around: (inner: Schema.JsonObject) => Schema.JsonObject): Schema.JsonObject =>
  many(levels, () => around).reduce((inner, around) => around(inner), {})

const $ref = "#/$defs/a"

const deep = nested(500, (not) => ({ not }))

/** Parts of a schema that cost the more, the more often they are referred to. */
const repeated: ReadonlyArray<readonly [what: string, a: Schema.JsonObject, size: number]> = [
  ["names", { required: many(8_000, (index) => `n${index}`) }, 8_000],
  ["members", { properties: Object.fromEntries(many(8_000, (index) => [`n${index}`, {}])) }, 8_000],
  ["entries", { allOf: many(50_000, () => true) }, 50_000],
  ["tokens", { $ref: `#/$defs/deep${"/not".repeat(500)}` }, 500],
  ["choices", { anyOf: many(4_000, () => ({ $ref })) }, 8_000]
]

describe("a schema for models", () => {
  const choices = ["anyOf", "oneOf", "allOf", "$ref"]

  it("has no choice at its root, and says which members all of them want", () => {
    const square = {
      type: "object",
      properties: { kind: { const: "square" }, side: { type: "number" } },
      required: ["kind", "side"]
    }
    const circle = {
      type: "object",
      properties: { kind: { const: "circle" }, radius: { type: "number" } },
      required: ["kind", "radius"]
    }
    assert.deepStrictEqual(
      parametersOf({
        type: "object",
        $defs: { circle },
        oneOf: [square, { $ref: "#/$defs/circle" }],
        required: ["id"]
      }),
      {
        type: "object",
        $defs: { circle },
        properties: {
          kind: { anyOf: [{ const: "square" }, { const: "circle" }] },
          side: { type: "number" },
          radius: { type: "number" }
        },
        required: ["id", "kind"]
      }
    )
  })

  it("keeps its references, percent-encoded or not", () => {
    const a = { type: "object", properties: { a: {} }, required: ["a"] }
    const names = ["a b", "a/b", "a<b>", "50%"]
    const $defs = Object.fromEntries(names.map((name) => [name, a]))
    const $refs = ["#/$defs/a%20b", "#/$defs/a~1b", "#/$defs/a%3Cb%3E", "#/$defs/a<b>", "#/$defs/50%25", "#/$defs/50%"]
    for (const $ref of $refs) {
      const properties = { inner: { $ref } }
      assert.deepStrictEqual(parametersOf({ type: "object", $defs, properties }), { type: "object", $defs, properties })
      assert.deepStrictEqual(parametersOf({ type: "object", $defs, allOf: [{ $ref }] }), { ...a, $defs })
    }
    const lost = { type: "object", properties: { inner: { $ref: "#/$defs/none" } } } as const
    assert.deepStrictEqual(parametersOf(lost), { type: "object", properties: { inner: {} } })
  })

  it("has the items of each list", () => {
    assert.deepStrictEqual(
      parametersOf({
        type: "object",
        properties: { all: { type: "array" }, pair: { type: "array", prefixItems: [{}] } }
      }),
      { type: "object", properties: { all: { type: "array", items: {} }, pair: { type: "array", prefixItems: [{}] } } }
    )
  })

  it("ends where one refers to itself, or has many choices", () => {
    const deep = { anyOf: Array.from({ length: 50 }, () => ({ $ref: "#" })) }
    assert.deepStrictEqual(parametersOf({ type: "object", $ref: "#", ...deep }), { type: "object", properties: {} })
    // A part that is referred to often is looked at so often that the bound is reached.
    const big = {
      properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`p${n}`, { type: "string" }]))
    }
    const wide = parametersOf({
      type: "object",
      $defs: { big },
      allOf: Array.from({ length: 255 }, () => ({ $ref: "#/$defs/big" }))
    })
    assert.deepStrictEqual(Object(wide)["properties"].p0, { type: "string" })
  })

  it("ends where a part refers to itself, alone or among others", () => {
    const a = { properties: { x: {} }, required: ["x"] }
    const loops: ReadonlyArray<Schema.JsonObject> = [
      { $ref: "#/$defs/a" },
      { allOf: [{ $ref: "#/$defs/a" }] },
      { $ref: "#/$defs/b", allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }] }
    ]
    for (const loop of loops) {
      const $defs = { a: { ...a, ...loop }, b: { $ref: "#/$defs/a" } }
      assert.deepStrictEqual(parametersOf({ type: "object", ...loop, $defs }), { type: "object", ...a, $defs })
    }
    const choice = { anyOf: [{ $ref: "#/$defs/a" }, { properties: { y: {} } }] }
    const $defs = { a: { ...a, ...choice } }
    const properties = { x: {}, y: {} }
    assert.deepStrictEqual(parametersOf({ type: "object", ...choice, $defs }), { type: "object", properties, $defs })
    const { allOf } = nested(10_000, (inner) => ({ allOf: [inner] }))
    assert.deepStrictEqual(parametersOf({ type: "object", ...allOf && { allOf } }), { type: "object", properties: {} })
  })

  it.each(repeated)(
    "reads one about as often as it is long, where it refers again and again to many %s",
    (_, a, size) => {
      for (const keyword of ["allOf", "anyOf", "oneOf"]) {
        within(100_000 + 4 * size, { type: "object", [keyword]: many(2_000, () => ({ $ref })), $defs: { a, deep } })
      }
    }
  )

  it.prop(
    "requires no member, and refuses none, that the schema of the server does not",
    { schema: whole, value: object },
    ({ schema, value }) => {
      const projected = parametersOf(schema)
      for (const choice of choices) assert.notProperty(projected, choice)
      if (SchemaCheck.make(schema)(value) === undefined) assert.isUndefined(SchemaCheck.make(projected)(value))
    }
  )

  it.prop(
    "looks at few parts, however they refer to each other, and requires no member that the schema of the server does not",
    { schema: graph, value: object },
    ({ schema, value }) => {
      const projected = within(100_000, schema)
      for (const choice of choices) assert.notProperty(projected, choice)
      if (SchemaCheck.make(schema)(value) === undefined) assert.isUndefined(SchemaCheck.make(projected)(value))
    }
  )
})
