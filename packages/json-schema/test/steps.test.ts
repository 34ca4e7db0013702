import { assert, describe, it } from "@effect/vitest"
import { SchemaCheck } from "@parley/json-schema"
import type { Schema } from "effect"
import { Steps } from "../src/internal/Steps.ts"

/** Fewer than a check has by itself, so that it is soon at their end. */
const most = 20_000

/** Counts each look at a member of it, however deep. */
const watched = (value: Schema.Json, onLook: (count: number) => void): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  const known = new Map<PropertyKey, Schema.Json>()
  return new Proxy(value, {
    get: (target, key, receiver) => {
      onLook(1)
      const member: unknown = Reflect.get(target, key, receiver)
      if (typeof member !== "object" || member === null) return member
      // A member of JSON is JSON.
      const wrapped = known.get(key) ?? watched(member as Schema.Json, onLook)
      known.set(key, wrapped)
      return wrapped
    },
    getOwnPropertyDescriptor: (target, key) => {
      onLook(1)
      return Reflect.getOwnPropertyDescriptor(target, key)
    },
    ownKeys: (target) => {
      const keys = Reflect.ownKeys(target)
      onLook(keys.length)
      return keys
    }
  })
}

/** A schema that is looked at twice as often with each level. */
const doubling = (levels: number, leaf: Schema.JsonObject): Schema.Json => {
  const $defs: Record<string, Schema.Json> = { l0: leaf }
  for (let level = 1; level <= levels; level++) {
    $defs[`l${level}`] = { anyOf: [{ $ref: `#/$defs/l${level - 1}` }, { $ref: `#/$defs/l${level - 1}` }] }
  }
  return { $defs, $ref: `#/$defs/l${levels}` }
}

const count = (size: number) => Array.from({ length: size }, (_, index) => index)

const members = (size: number, name: string, value: Schema.Json): Schema.JsonObject =>
  Object.fromEntries(count(size).map((index) => [`${name}${index}`, value]))

const long = "a".repeat(100_000)

/** How large what is looked at again and again is. */
const size = 1_000

const hostile: ReadonlyArray<readonly [string, Schema.Json, Schema.Json]> = [
  ["a pattern", doubling(12, { pattern: "^a*a*b$" }), long.slice(0, size)],
  ["a pattern that looks ahead", doubling(12, { pattern: "(?=(?=(?=a*b)))" }), long],
  ["a length", doubling(12, { minLength: 70_000, maxLength: 1 }), `${long}é`],
  ["a constant", doubling(12, { const: { a: count(size) } }), { a: count(size) }],
  ["a list of values", doubling(12, { enum: count(size).map((index) => [index]) }), [-1]],
  ["required members", doubling(12, { required: count(size).map(() => "k").concat("z") }), { k: 1 }],
  ["dependents", doubling(12, { dependentRequired: members(size, "a", []), required: ["z"] }), {}],
  ["patterns of members", { patternProperties: members(10, "^z*z*y", true) }, members(100, "z".repeat(300), 1)],
  ["names", doubling(12, { propertyNames: { maxLength: 1 } }), members(size, "a", 1)],
  ["counted members", doubling(12, { maxProperties: 1 }), members(size, "a", 1)],
  ["members", doubling(12, { additionalProperties: { type: "string" } }), members(size, "a", 1)],
  ["items", doubling(12, { items: { type: "integer" }, uniqueItems: true }), [...count(size), 0]],
  ["what is contained", doubling(12, { contains: { type: "string" } }), count(size)],
  ["objects that differ", doubling(12, { uniqueItems: true, maxItems: 0 }), count(size).map((a) => ({ a: { b: a } }))],
  [
    "what is not evaluated",
    doubling(12, { allOf: [{ additionalProperties: true }], unevaluatedProperties: false, required: ["z"] }),
    members(size, "a", 1)
  ],
  [
    "what many have evaluated",
    { unevaluatedProperties: false, anyOf: count(size).map(() => ({ additionalProperties: true })) },
    members(size, "a", 1)
  ],
  ["dynamic scopes", { $dynamicAnchor: "a", anyOf: [{ $dynamicRef: "#a" }, { $dynamicRef: "#a" }] }, 1],
  ["types", doubling(12, { type: count(size).map(() => "object") }), 1],
  ["patterns", { allOf: count(size).map((index) => ({ pattern: `^(?:a+-)+${index}$` })) }, "a"],
  ["large patterns", { allOf: count(100).map((index) => ({ pattern: `(?:a{0,90}b){100}${index}` })) }, "a"],
  ["parts of a schema", { allOf: count(100_000).map(() => true) }, 1],
  ["items of a value", { items: { type: "integer", minimum: 0 } }, count(100_000)]
]

describe("a check of JSON ends after so many steps", () => {
  for (const [name, schema, value] of hostile) {
    it(name, () => {
      let looks = 0
      const onLook = (count: number) => {
        looks += count
      }
      const [making, checking] = [new Steps(most), new Steps(most)]
      const issue = SchemaCheck.make(watched(schema, onLook), making)(watched(value, onLook), checking)
      const spent = (steps: Steps) => Math.min(most, most - steps.left)
      // What is listed when the steps end has been looked at already.
      assert.isAtMost(looks, 4 * size + 8 * (spent(making) + spent(checking)))
      assert.strictEqual(Math.min(making.left, checking.left) < 0, /more than 20000 steps/.test(issue?.rule ?? ""))
    })
  }

  it("a value within the bounds is checked whole", () => {
    assert.isUndefined(SchemaCheck.make({ items: { type: "integer" } })(count(1_000_000)))
    const rows = count(50_000).map((id) => ({ id, name: "x", at: "2026-11-22" }))
    const row = {
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string" }, at: { pattern: "^\\d{4}-\\d{2}-\\d{2}$" } },
      required: ["id", "name"],
      additionalProperties: false
    }
    assert.isUndefined(SchemaCheck.make({ type: "array", items: row, uniqueItems: true })(rows))
  })

  it("what is made of a schema is bounded for all checks together", () => {
    const named = (index: number) => [`m${index}`, { pattern: `(?:a{0,90}b){10}${index}` }] as const
    const check = SchemaCheck.make({ properties: Object.fromEntries(count(1_000).map(named)) }, new Steps(100_000))
    const issues = count(1_000).map((index) => check({ [`m${index}`]: "b".repeat(10) + index }))
    assert.isUndefined(issues[0])
    assert.match(issues.at(-1)?.rule ?? "", /more than 100000 steps/)
    // What was made is there.
    assert.isUndefined(check({ m0: "b".repeat(10) + "0" }))
  })

  it("an address takes steps with each id that is read below it", () => {
    const schema = { $id: `http://a.example/${long}/`, $defs: members(100, "a", { $id: "b" }) }
    assert.match(SchemaCheck.make(schema, new Steps(most))(1)?.rule ?? "", /more than 20000 steps/)
  })

  it("an address takes steps with each reference that is read below it", () => {
    const schema = { $id: `http://a.example/${long}/`, allOf: count(100).map(() => ({ $ref: "#/$defs/a" })) }
    assert.match(SchemaCheck.make(schema, new Steps(most))(1)?.rule ?? "", /more than 20000 steps/)
  })

  it("a dialect is looked up once for all schemas of a document", () => {
    const looksAt = (size: number) => {
      let looks = 0
      const allOf = count(size).map(() => ({}))
      const schema: Schema.JsonObject = { $schema: "https://json-schema.org/draft/2020-12/schema", allOf }
      const watched = new Proxy(schema, {
        get: (target, key) => {
          if (key === "$schema") looks++
          return Reflect.get(target, key)
        }
      })
      assert.isUndefined(SchemaCheck.make(watched)(1))
      return looks
    }
    assert.strictEqual(looksAt(100), looksAt(1))
  })

  it("values that are too deep to be compared are an issue", () => {
    let deep: Schema.Json = 1
    for (let level = 0; level < 20_000; level++) deep = [deep]
    assert.match(SchemaCheck.make({ const: [1] })(deep)?.rule ?? "", /1024 values in one another/)
  })
})
