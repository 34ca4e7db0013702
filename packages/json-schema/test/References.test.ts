import { assert, describe, it } from "@effect/vitest"
import { References } from "@parley/json-schema"
import type { Schema } from "effect"

const found = (schema: Schema.Json, reference: string) => {
  const references = References.make(schema)
  return references?.resolve(reference, references.root)?.schema
}

describe("a reference leads", () => {
  it("by a pointer, with its escapes", () => {
    assert.deepStrictEqual(found({ $defs: { "a/b %": { type: "null" } } }, "#/$defs/a~1b%20%25"), { type: "null" })
  })

  it("by an anchor, and by an id", () => {
    const schema = { $defs: { one: { $anchor: "here", const: 1 }, two: { $id: "https://a.test/two", const: 2 } } }
    assert.deepStrictEqual(found(schema, "#here"), schema.$defs.one)
    assert.deepStrictEqual(found(schema, "https://a.test/two"), schema.$defs.two)
  })

  it("from the resource that it stands in", () => {
    const inner = { $id: "https://a.test/inner", $defs: { name: { type: "string" } }, $ref: "#/$defs/name" }
    const references = References.make({ properties: { inner } })
    assert(references !== undefined)
    const place = references.below(inner, references.root)
    assert.deepStrictEqual(references.resolve(inner.$ref, place)?.schema, inner.$defs.name)
    assert.isUndefined(references.resolve(inner.$ref, references.root))
  })

  it("nowhere, where it leads out of the document", () => {
    assert.isUndefined(found({}, "https://a.test/other"))
  })
})
