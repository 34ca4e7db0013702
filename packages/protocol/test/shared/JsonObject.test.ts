import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { JsonObject, Relayed } from "../../src/shared/index.ts"

const others: ReadonlyArray<Schema.Json | undefined> = [undefined, null, true, 1, "text", [], [{ a: 1 }]]

describe("JSON", () => {
  it("is an object, or has no members", () => {
    for (const json of others) {
      assert.isFalse(JsonObject.isObject(json))
      assert.isUndefined(JsonObject.member(json, "length"))
      assert.isUndefined(JsonObject.member(json, "0"))
    }
    assert.isTrue(JsonObject.isObject({}))
  })

  it("has the members of its own, and none of a prototype", () => {
    assert.strictEqual(JsonObject.member({ a: null }, "a"), null)
    assert.isUndefined(JsonObject.member({ a: 1 }, "b"))
    assert.isUndefined(JsonObject.member({}, "toString"))
    assert.deepStrictEqual(JsonObject.member(JSON.parse(`{"__proto__":{"b":1}}`), "__proto__"), { b: 1 })
  })

  it("gets members at a path, through objects that are there and those that are made", () => {
    const json = { a: { b: 1 }, c: 2 }
    assert.deepStrictEqual(JsonObject.insert(json, [], { c: 3, d: 4 }), { a: { b: 1 }, c: 3, d: 4 })
    assert.deepStrictEqual(JsonObject.insert(json, ["a"], { d: 4 }), { a: { b: 1, d: 4 }, c: 2 })
    assert.deepStrictEqual(JsonObject.insert(json, ["x", "y"], { d: 4 }), { ...json, x: { y: { d: 4 } } })
    assert.deepStrictEqual(json, { a: { b: 1 }, c: 2 })
  })

  it("stays as it is where something else stands in the way", () => {
    for (const other of others) {
      if (other === undefined) continue
      const json = { a: other, b: 1 }
      assert.strictEqual(JsonObject.insert(json, ["a"], { c: 1 }), json)
      assert.deepStrictEqual(JsonObject.insert({ x: json }, ["x", "a"], { c: 1 }), { x: json })
    }
  })

  it("keeps the digits of its numbers", () => {
    const text = `{"id":9007199254740993,"meta":{"rate":0.10}}`
    const json = Relayed.parseUnsafe(text)
    assert.isTrue(typeof json === "object" && json !== null)
    const copy = JsonObject.insert(json as Schema.JsonObject, ["meta"], { token: 1 })
    assert.strictEqual(JSON.stringify(copy), `{"id":9007199254740993,"meta":{"rate":0.10,"token":1}}`)
  })

  it("has members left out and replaced in a copy, and is itself where nothing changes", () => {
    const json: { readonly a?: number; readonly b: number } = { a: 1, b: 2 }
    assert.deepStrictEqual(JsonObject.omit(json, "a", "c"), { b: 2 })
    assert.strictEqual(JsonObject.omit(json, "c"), json)
    assert.deepStrictEqual(JsonObject.change(json, "a", (a) => a + 1), { a: 2, b: 2 })
    assert.strictEqual(JsonObject.change(json, "a", (a) => a), json)
    assert.deepStrictEqual(JsonObject.change<typeof json, "a">({ b: 2 }, "a", (a) => a + 1), { b: 2 })
  })
})
