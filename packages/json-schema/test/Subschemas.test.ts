import { assert, describe, it } from "@effect/vitest"
import { Subschemas } from "@parley/json-schema"
import { type Schema } from "effect"

const inner = (title: string) => ({ title })

const schema: Schema.JsonObject = {
  title: "whole",
  items: [inner("first"), inner("second")],
  not: inner("not"),
  additionalProperties: false,
  properties: { "a/b": inner("slash"), "c~d": inner("tilde"), ["__proto__"]: inner("proto") },
  dependencies: { e: ["f"] },
  default: { properties: { g: inner("data") } },
  examples: [inner("data")]
}

describe("where schemas stand in a schema", () => {
  it("is found, each by a pointer that leads to it, and data is none", () => {
    const found = Subschemas.located(schema)
    assert.deepStrictEqual(found.map(([pointer]) => pointer), [
      "/items/0",
      "/items/1",
      "/not",
      "/additionalProperties",
      "/properties/a~1b",
      "/properties/c~0d",
      "/properties/__proto__",
      "/dependencies/e"
    ])
    for (const [pointer, part] of found) {
      const led = pointer.split("/").slice(1).map(Subschemas.keyOf).reduce<unknown>(
        (value, key) => Object.getOwnPropertyDescriptor(value, key)?.value,
        schema
      )
      assert.strictEqual(led, part, pointer)
    }
    assert.deepStrictEqual(Subschemas.below(schema), found.map(([, part]) => part))
  })

  it("is changed from within, and all else stays as it is", () => {
    const seen: Array<unknown> = []
    const changed = Subschemas.map(schema, (part) => {
      seen.push(part["title"])
      return { ...part, title: `${String(part["title"])}!` }
    })
    assert.deepStrictEqual(seen, ["first", "second", "not", "slash", "tilde", "proto", "whole"])
    assert.deepStrictEqual(JSON.stringify(changed).match(/\w+!/g), [
      "whole!",
      "first!",
      "second!",
      "not!",
      "slash!",
      "tilde!",
      "proto!"
    ])
    for (const keyword of ["additionalProperties", "dependencies", "default", "examples"]) {
      assert.deepStrictEqual(changed[keyword], schema[keyword])
    }
    assert.deepStrictEqual(Subschemas.map(schema, (part) => part), schema)
  })
})
