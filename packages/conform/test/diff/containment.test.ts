import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Containment } from "../../src/internal/diff/containment/Containment.ts"
import { localized } from "../../src/internal/diff/containment/localized.ts"
import { fits, nodeOf } from "../../src/internal/diff/containment/SchemaNode.ts"
import { changed, Dice, value, whole } from "./RandomSchema.ts"

/** A value of the one schema that is none of the other, or what is known of it. */
const beyond = (inner: Schema.Json, outer: Schema.Json, isStrict = false): Schema.Json | undefined => {
  const sent = nodeOf(localized(inner, ""))
  const answer = new Containment(sent.document, isStrict).counterexample([sent], nodeOf(localized(outer, "")))
  return answer._tag === "Found" ? { found: answer.value } : answer._tag
}

const tree = (value: Schema.Json): Schema.Json => ({
  $defs: {
    Tree: { type: "object", properties: { value, children: { type: "array", items: { $ref: "#/$defs/Tree" } } } }
  },
  $ref: "#/$defs/Tree"
})

const tagged = (tag: string, value: Schema.Json): Schema.Json => ({
  type: "object",
  properties: { tag: { const: tag }, value },
  required: ["tag", "value"]
})

const contained: ReadonlyArray<readonly [what: string, inner: Schema.Json, outer: Schema.Json]> = [
  ["a type among others", { type: "string" }, { type: ["string", "null"] }],
  ["integers among numbers", { type: "integer" }, { type: "number" }],
  ["a range in a wider one", { type: "integer", minimum: 3, maximum: 4 }, { minimum: 2 }],
  ["a range whose numbers are listed", { type: "integer", minimum: 1, maximum: 3 }, { enum: [1, 2, 3] }],
  ["bounds of draft 04", { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
  ["multiples of a multiple", { multipleOf: 12 }, { multipleOf: 6 }],
  ["fractions at a bound", { type: "number", multipleOf: 0.1, minimum: 0.7, maximum: 0.7 }, { enum: [0.7] }],
  ["a pattern in a wider one", { type: "string", pattern: "^0x[0-9]+$" }, { pattern: "^0x[0-9a-f]+$" }],
  ["a pattern and a length", { type: "string", pattern: "^a{2,3}$" }, { minLength: 2, maxLength: 3 }],
  ["listed texts in a pattern", { enum: ["ab", "abb"] }, { pattern: "^ab+$" }],
  ["a closed object in an open one", { properties: { a: { type: "string" } }, additionalProperties: false }, {
    properties: { a: { type: "string" }, b: false }
  }],
  ["required members that are listed", { type: "object", required: ["a"] }, { minProperties: 1 }],
  ["patterns of names", { patternProperties: { "^a": { type: "string" } } }, {
    patternProperties: { "^ab": { type: "string" } }
  }],
  ["items of a tuple", { type: "array", prefixItems: [{ type: "integer" }], items: false }, { maxItems: 1 }],
  ["items of a tuple of draft 07", { type: "array", items: [{ type: "integer" }], additionalItems: false }, {
    items: { type: "number" }
  }],
  ["arrays that contain something", { type: "array", contains: { type: "string" } }, { minItems: 1 }],
  ["single items that differ", { type: "array", maxItems: 1 }, { uniqueItems: true }],
  ["schemas that lead to themselves", tree({ type: "integer" }), tree({ type: "number" })],
  ["what is not something", { not: { type: "string" } }, { type: ["null", "boolean", "number", "array", "object"] }],
  ["members of a union by their tags", { oneOf: [tagged("a", { type: "integer" })] }, {
    oneOf: [tagged("a", { type: "number" }), tagged("b", { type: "number" })]
  }],
  ["a branch of a condition", { if: { type: "string" }, then: { minLength: 2 }, else: false }, {
    type: "string",
    minLength: 1
  }],
  ["members that need others", { dependentRequired: { a: ["b"], b: ["c"] }, required: ["a"] }, {
    required: ["a", "c"]
  }],
  ["what anchors name", { $defs: { T: { $anchor: "t", type: "integer" } }, $ref: "#t" }, { type: "number" }],
  ["nothing", { allOf: [{ type: "string" }, { type: "number" }] }, false]
]

const notContained: ReadonlyArray<readonly [what: string, inner: Schema.Json, outer: Schema.Json, value: Schema.Json]> =
  [
    ["numbers among integers", { type: "number" }, { type: "integer" }, 0.5],
    ["a fraction at a bound", { type: "number", multipleOf: 0.1, minimum: 0.7, maximum: 0.7 }, { enum: [2] }, 0.7],
    ["a number at an open bound", { type: "integer", minimum: 3 }, { exclusiveMinimum: 3 }, 3],
    ["a multiple of another number", { multipleOf: 4 }, { multipleOf: 6 }, 4],
    ["a text that is listed", { enum: ["a", "b"] }, { enum: ["a"] }, "b"],
    ["a text of a pattern", { type: "string", pattern: "^0x[0-9a-f]+$" }, { pattern: "^0x[0-9]+$" }, "0xa"],
    ["a member that may be missing", { type: "object", properties: { a: {} } }, { required: ["a"] }, {}],
    ["a member of a union", { oneOf: [tagged("a", {}), tagged("b", {})] }, { oneOf: [tagged("a", {})] }, {
      tag: "b",
      value: null
    }],
    ["a value that fits two of them", { type: "integer", multipleOf: 6 }, {
      oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }]
    }, 0],
    ["an item far down", tree({ type: "number" }), tree({ type: "integer" }), { value: 0.5 }],
    ["items that are the same", { type: "array", items: { type: "string" } }, { uniqueItems: true }, ["", ""]]
  ]

describe("containment", () => {
  for (const [what, inner, outer] of contained) {
    it(`proves that ${what} are accepted`, () => {
      assert.strictEqual(beyond(inner, outer, true), "None")
    })
  }

  for (const [what, inner, outer, found] of notContained) {
    it(`finds ${what}`, () => {
      assert.deepStrictEqual(beyond(inner, outer), { found })
    })
  }

  it("gives no value that does not hold", () => {
    assert.strictEqual(beyond({ type: "array", minItems: 1, unevaluatedItems: false }, { type: "string" }), "Unknown")
  })

  it("takes it that nobody sends members that no schema speaks of, unless it is strict", () => {
    const inner = { type: "object", properties: { a: { type: "string" } } }
    const outer = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } }
    assert.strictEqual(beyond(inner, outer), "None")
    assert.deepStrictEqual(beyond(inner, outer, true), { found: { b: null } })
    assert.deepStrictEqual(beyond({ ...inner, additionalProperties: true }, outer), { found: { b: null } })
    assert.deepStrictEqual(beyond({ type: "object" }, outer), { found: { a: null } })
  })

  it("takes the members of all parts of an object as known", () => {
    const inner = { allOf: [{ properties: { a: {} } }, { properties: { b: { type: "string" } }, required: ["b"] }] }
    assert.strictEqual(beyond(inner, { required: ["b"] }), "None")
    assert.deepStrictEqual(beyond(inner, { properties: { b: { maxLength: 0 } } }), { found: { b: "a" } })
  })

  it("leaves open what it cannot read, and finds what the rest decides", () => {
    assert.strictEqual(beyond({ type: "string" }, { $ref: "https://example.org/schema" }), "Unknown")
    assert.deepStrictEqual(beyond({ type: "string" }, { type: "number", $ref: "https://example.org/schema" }), {
      found: ""
    })
    assert.strictEqual(beyond({ type: "string", pattern: "^(?!a)" }, { pattern: "^(?!a)(?!a)" }), "Unknown")
  })

  const agrees = (inner: Schema.Json, outer: Schema.Json, dice: Dice) => {
    const sent = nodeOf(inner)
    const accepted = nodeOf(outer)
    const answer = new Containment(sent.document, true).counterexample([sent], accepted)
    if (answer._tag === "Found") {
      assert.isTrue(fits(sent, answer.value))
      assert.isFalse(fits(accepted, answer.value))
    }
    if (answer._tag !== "None") return
    for (let left = 100; left > 0; left--) {
      const sample = value(dice, 3)
      assert.isFalse(fits(sent, sample) === true && fits(accepted, sample) === false, JSON.stringify(sample))
    }
  }

  it.effect.prop("agrees with values of any two schemas", { seed: Schema.Int }, ({ seed }) =>
    Effect.sync(() => {
      const dice = new Dice(seed)
      agrees(whole(dice), whole(dice), dice)
    }), { arbitrary: { runs: 300 } })

  it.effect.prop(
    "agrees with values of a schema and the same with a change",
    { seed: Schema.Int },
    ({ seed }) =>
      Effect.sync(() => {
        const dice = new Dice(seed)
        const schema = whole(dice)
        const other = changed(dice, schema)
        agrees(schema, other, dice)
        agrees(other, schema, dice)
      }),
    { arbitrary: { runs: 300 } }
  )

  it.effect.prop("contains each schema in itself", { seed: Schema.Int }, ({ seed }) =>
    Effect.sync(() => {
      const schema = whole(new Dice(seed))
      assert.strictEqual(beyond(schema, schema, true), "None")
    }), { arbitrary: { runs: 100 } })
})
