import { assert, describe, it } from "@effect/vitest"
import { SchemaCheck } from "@parley/json-schema"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { Schema } from "effect"

const answer = (schema: Schema.Json, value: Schema.Json): boolean | string => {
  const issue = SchemaCheck.make(schema)(value)
  return issue?.isUndecided === true ? issue.rule : issue === undefined
}

const fits = (schema: Schema.Json, value: Schema.Json) => answer(schema, value) === true

/** Written as text, because an object in the code may not have a `then`. */
const parsed = (text: string): Schema.Json => JSON.parse(text)

const object = { type: "object" }

/** Parts of foreign schemas that nobody can check a text with. */
const unchecked: ReadonlyArray<Schema.Json> = [
  { $ref: "#/$defs/nowhere" },
  { $ref: "#nowhere" },
  { $ref: "http://127.0.0.1:1/schema.json" },
  { $dynamicRef: "#nowhere" },
  { $ref: "#/$schema/0" },
  { $schema: "https://a.example/dialect", type: "number" },
  { pattern: "(?i)^a" },
  { pattern: "(?P<year>[0-9]+)" },
  { pattern: "(a)\\1" },
  5
]

/** Schemas, and values that fit and do not: each is held against ajv, too. */
const cases: ReadonlyArray<readonly [string, Schema.Json, ReadonlyArray<Schema.Json>]> = [
  ["types", { type: ["integer", "null"] }, [1, 1.5, 1.0, null, "1", true, [], {}]],
  ["enum", { enum: [1, "a", { b: [1, 2], c: null }] }, [1, "a", { c: null, b: [1, 2] }, { b: [2, 1], c: null }, 2]],
  ["const", { const: { a: 0 } }, [{ a: 0 }, { a: false }, {}]],
  ["numbers", { minimum: 1, exclusiveMaximum: 5, multipleOf: 0.5 }, [1, 0.9, 5, 4.5, 1.25, "x"]],
  ["strings", { minLength: 2, maxLength: 3, pattern: "^[a-z]+$" }, ["ab", "a", "abcd", "AB", "abc", 5]],
  ["length in characters", { maxLength: 2 }, ["😀😀", "😀😀😀"]],
  ["required", { ...object, required: ["a", "toString"] }, [{ a: 1 }, { a: 1, toString: 2 }, {}]],
  ["properties", { properties: { a: { type: "string" }, b: false } }, [{ a: "x" }, { a: 1 }, { b: 1 }, [], "x"]],
  [
    "other properties",
    { properties: { a: true }, patternProperties: { "^x-": { type: "number" } }, additionalProperties: false },
    [{ a: 1 }, { "x-a": 1 }, { "x-a": "1" }, { b: 1 }]
  ],
  ["names", { propertyNames: { maxLength: 2 }, minProperties: 1, maxProperties: 2 }, [{ ab: 1 }, { abc: 1 }, {}]],
  ["tuples", { prefixItems: [{ type: "string" }], items: { type: "number" } }, [["a", 1], [1], ["a", "b"], [], {}]],
  ["lists", { minItems: 1, maxItems: 2, uniqueItems: true }, [[1], [], [1, 2, 3], [{ a: 1, b: 2 }, { b: 2, a: 1 }]]],
  ["contains", { contains: { type: "number" }, minContains: 2, maxContains: 3 }, [[1], [1, 2, "x"], [1, 2, 3, 4]]],
  ["all, any, one, not", {
    allOf: [{ minimum: 0 }],
    anyOf: [{ maximum: 5 }, { minimum: 10 }],
    oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }],
    not: { const: 4 }
  }, [2, 3, 4, 6, 7, 12, 14, -2]],
  [
    "conditions",
    parsed(`{
      "if": { "properties": { "a": { "const": 1 } }, "required": ["a"] },
      "then": { "required": ["b"] },
      "else": { "required": ["c"] }
    }`),
    [{ a: 1, b: 1 }, { a: 1 }, { a: 2 }, { c: 1 }]
  ],
  [
    "dependencies",
    { dependentRequired: { a: ["b"] }, dependentSchemas: { c: { required: ["d"] } } },
    [{ a: 1 }, { a: 1, b: 1 }, { c: 1 }, { c: 1, d: 1 }, {}]
  ],
  [
    "references",
    {
      $defs: { node: { $anchor: "node", properties: { next: { $ref: "#/$defs/node" }, v: { type: "number" } } } },
      $ref: "#node"
    },
    [{ v: 1, next: { v: 2 } }, { v: 1, next: { v: "2" } }, { next: { next: { v: null } } }]
  ],
  ["escapes in references", { $defs: { "a/b~c": { type: "string" } }, $ref: "#/$defs/a~1b~0c" }, ["x", 1]],
  [
    "unevaluated properties",
    {
      allOf: [{ properties: { a: true } }],
      anyOf: [{ required: ["b"], properties: { b: true } }, { maxProperties: 2 }],
      unevaluatedProperties: false
    },
    [{ a: 1 }, { a: 1, b: 2 }, { a: 1, c: 3 }]
  ],
  ["unevaluated items", { prefixItems: [true], unevaluatedItems: { type: "string" } }, [[1], [1, "a"], [1, 2]]],
  ["booleans", false, [1, {}]],
  ["formats say nothing", { format: "email" }, ["no address"]]
]

describe("JSON held against a JSON Schema", () => {
  for (const [name, schema, values] of cases) {
    it(`${name}: as ajv judges`, () => {
      const validate = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true }).compile(
        // Its types know no readonly.
        schema as object | boolean
      )
      const ours = values.map((value) => fits(schema, value))
      const theirs = values.map((value) => validate(value))
      assert.deepStrictEqual(ours, theirs)
    })
  }

  it("tenths are multiples of a tenth, though they are no binary fractions", () => {
    assert.isTrue(fits({ multipleOf: 0.1 }, 2.3))
    assert.isFalse(fits({ multipleOf: 0.1 }, 2.35))
  })

  it("a bound of draft-04 is exclusive where a flag beside it says so", () => {
    const schema = (flag: boolean) => ({ minimum: 1, exclusiveMinimum: flag, maximum: 3, exclusiveMaximum: flag })
    assert.deepStrictEqual([1, 2, 3].map((value) => fits(schema(true), value)), [false, true, false])
    assert.deepStrictEqual([1, 2, 3].map((value) => fits(schema(false), value)), [true, true, true])
  })

  it("what a condition did not choose was not looked at", () => {
    const schema = parsed(`{
      "properties": { "a": true },
      "if": { "required": ["b"] },
      "then": { "properties": { "b": true } },
      "unevaluatedProperties": false
    }`)
    assert.isTrue(fits(schema, { a: 1 }))
    assert.isTrue(fits(schema, { a: 1, b: 1 }))
    assert.isFalse(fits(schema, { a: 1, c: 1 }))
  })

  it("an issue says where it is, and what should be there", () => {
    const check = SchemaCheck.make({ properties: { list: { items: { type: "number" } } } })
    assert.deepStrictEqual(check({ list: [1, "2"] }), { path: ["list", 1], rule: "it should be number" })
  })

  it("a part that cannot be checked decides nothing, and the others are checked all the same", () => {
    for (const part of unchecked) {
      const schema = { properties: { a: part, b: { type: "string" } } }
      const why = answer(schema, { a: "x", b: "x" })
      assert.isString(why, JSON.stringify(part))
      assert.isFalse(answer(schema, { a: "x", b: 2 }), JSON.stringify(part))
      assert.isTrue(answer(schema, { b: "x" }))
    }
  })

  it("a choice is undecided only where what cannot be checked decides it", () => {
    for (const part of unchecked) {
      const cases: ReadonlyArray<readonly [Schema.Json, Schema.Json, boolean | undefined]> = [
        [{ not: part }, "x", undefined],
        [{ not: { not: part } }, "x", undefined],
        [{ anyOf: [part, { type: "string" }] }, "x", true],
        [{ anyOf: [part, { type: "number" }] }, "x", undefined],
        [{ oneOf: [part, { type: "string" }] }, "x", undefined],
        [{ oneOf: [part, true, true] }, "x", false],
        [{ oneOf: [{ allOf: [part, false] }, true] }, "x", true],
        [{ if: part }, "x", true],
        [{ if: part, else: { type: "number" } }, "x", undefined],
        [{ allOf: [part, { type: "number" }] }, "x", false],
        [{ contains: part }, ["x"], undefined],
        [{ contains: part }, [], false],
        [{ contains: { anyOf: [{ const: 1 }, part] } }, [1, "x"], true],
        [{ contains: part, minContains: 0 }, ["x"], true],
        [{ contains: { anyOf: [{ const: 1 }, part] }, maxContains: 1 }, [1, "x"], undefined],
        [{ contains: { anyOf: [{ const: 1 }, part] }, maxContains: 1 }, [1, 1, "x"], false],
        [{ propertyNames: part }, { x: 1 }, undefined],
        [{ additionalProperties: part }, { x: "x" }, undefined],
        [{ properties: { x: part }, unevaluatedProperties: false }, { x: "x" }, undefined],
        [{ properties: { x: part }, unevaluatedProperties: false }, { x: "x", y: 1 }, false]
      ]
      for (const [schema, value, expected] of cases) {
        const given = answer(schema, value)
        assert.strictEqual(typeof given === "string" ? undefined : given, expected, JSON.stringify([schema, value]))
      }
    }
  })

  it("what a reference leads to elsewhere may have evaluated everything", () => {
    const schema = { $ref: "http://127.0.0.1:1/a.json", unevaluatedProperties: false, unevaluatedItems: false }
    assert.match(
      String(answer(schema, { a: 1 })),
      /the \$ref "http:\/\/127.0.0.1:1\/a.json" .* leads to no schema in it/
    )
    assert.isString(answer(schema, [1]))
  })

  it("members that a pattern which cannot be run may name are not taken for others", () => {
    const schema = { patternProperties: { "(?i)^x-": { type: "number" } }, additionalProperties: false }
    assert.isString(answer(schema, { "x-a": 1 }))
    assert.isTrue(answer(schema, {}))
  })

  it("schemas beside one another do not see what the other has evaluated", () => {
    const schema = {
      allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }],
      unevaluatedProperties: true
    }
    assert.isFalse(fits(schema, { a: 1 }))
  })

  it("a pattern that cannot be run leaves a text undecided, also where a schema is negated", () => {
    for (
      const schema of [{ pattern: "(a)\\1" }, { not: { pattern: "(a)\\1" } }, { anyOf: [{ pattern: "[" }, false] }]
    ) {
      assert.match(String(answer(schema, "b")), /the pattern .* of its schema cannot be run: it /)
    }
    assert.isTrue(answer({ pattern: "(a)\\1" }, 1))
  })

  it("schemas that lead into one another for ever are an issue", () => {
    assert.match(SchemaCheck.make({ $ref: "#" })(1)?.rule ?? "", /1024 schemas/)
    const doubling = { $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" }
    assert.match(SchemaCheck.make(doubling)(1)?.rule ?? "", /1024 schemas/)
    assert.match(SchemaCheck.make({ not: { $ref: "#" } })(1)?.rule ?? "", /1024 schemas/)
  })

  it("schemas that take exponential time end after so many steps", () => {
    const $defs: Record<string, Schema.Json> = { l0: { type: "string" } }
    for (let level = 1; level <= 40; level++) {
      $defs[`l${level}`] = { anyOf: [{ $ref: `#/$defs/l${level - 1}` }, { $ref: `#/$defs/l${level - 1}` }] }
    }
    assert.match(SchemaCheck.make({ $defs, $ref: "#/$defs/l40" })(1)?.rule ?? "", /4000000 steps/)
    assert.match(SchemaCheck.make({ $defs, not: { $ref: "#/$defs/l40" } })(1)?.rule ?? "", /4000000 steps/)
  })
})
