/** Values whose numbers are doubles, and which are written with the digits that came. */
import { assert, describe, it } from "@effect/vitest"
import { ExactNumber, Relayed } from "@parley/protocol/shared"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const Digits = Schema.String.check(
  Schema.isPattern(/^-?(?:0|[1-9][0-9]{0,40})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,4})?$/)
)

/** As many shapes as a payload has: a number in an object, in an array, below them, and beside other values. */
const textOf = (json: Schema.Json, [a, b]: readonly [string, string]): string =>
  `{"a":${a},"b":[${b},${JSON.stringify(json)},[${a}]],"__proto__":${b},"c":{"0":${a},"d":{"e":${b}}},"f":null}`

const wild = [
  "1234567890123456789",
  "1e400",
  "-1e400",
  "0.1000000000000000055",
  "-0",
  "-0.0",
  "1.0",
  "1E5",
  "0.0000001",
  "9007199254740993",
  "100000000000000.25"
]

describe("relayed JSON", () => {
  it.prop(
    "is written digit for digit, and nothing else is changed",
    { json: Arbitrary.schema(Schema.Json), a: Digits, b: Digits },
    ({ a, b, json }) => {
      const text = textOf(json, [a, b])
      assert.strictEqual(
        JSON.stringify(Relayed.parseUnsafe(text)),
        JSON.stringify(ExactNumber.parseUnsafe(text))
      )
    },
    { arbitrary: { runs: 300 } }
  )

  it("has doubles for whoever looks at them", () => {
    for (const text of wild) {
      const json = `{"x":${text},"y":[${text}]}`
      const relayed = Relayed.parseUnsafe(json)
      assert.deepStrictEqual(relayed, JSON.parse(json))
      assert.deepStrictEqual(Object.keys(Object(relayed)), ["x", "y"])
      assert.strictEqual(JSON.stringify(relayed), json)
      assert.strictEqual(
        JSON.stringify({ inner: [relayed] }, undefined, 1).replaceAll(/\s/g, ""),
        `{"inner":[${json}]}`
      )
      assert.strictEqual(Relayed.isBeyondDoubles(relayed), text.includes("e400"))
      // A value by itself has nothing that could remember its text.
      assert.strictEqual(JSON.stringify(Relayed.parseUnsafe(text)), text)
    }
  })

  it("writes what a member has become, where that has changed", () => {
    const json = Object(Relayed.parseUnsafe(`{"x":1234567890123456789,"y":1.0,"z":1.0}`))
    json.x = 5
    delete json.y
    assert.strictEqual(JSON.stringify(json), `{"x":5,"z":1.0}`)
  })

  it("is remembered by a copy that says so, and by no other", () => {
    const json = Object(Relayed.parseUnsafe(`{"x":1234567890123456789,"y":{"z":1.0},"w":1e400}`))
    assert.strictEqual(JSON.stringify({ ...json, w: 1 }), `{"x":1234567890123456800,"y":{"z":1.0},"w":1}`)
    const copy = Relayed.carry({ ...json, w: 1, v: 2 }, undefined, { v: 2 }, json)
    assert.strictEqual(JSON.stringify(copy), `{"x":1234567890123456789,"y":{"z":1.0},"w":1,"v":2}`)
    const both = Relayed.carry({ ...json, ...Object(Relayed.parseUnsafe(`{"v":2.0}`)) }, json, Object(json))
    assert.isTrue(Relayed.isBeyondDoubles(both))
    const outer = Object(Relayed.parseUnsafe(`{"x":{"y":1e400}}`))
    assert.isTrue(Relayed.isBeyondDoubles(Relayed.carry({ ...outer }, outer)))
    assert.strictEqual(Relayed.textOf(copy, "x"), "1234567890123456789")
    assert.isUndefined(Relayed.textOf(copy, "v"))
    assert.isUndefined(Relayed.textOf(copy, "w"))
  })

  it("is finite for a check, and the same where it is finite", () => {
    const json = Relayed.parseUnsafe(`{"x":[1e400,-1e400,1],"y":{"z":1.5}}`)
    assert.deepStrictEqual(Relayed.toFinite(json), { x: [Number.MAX_VALUE, -Number.MAX_VALUE, 1], y: { z: 1.5 } })
    const finite = Relayed.parseUnsafe(`{"x":[1.0]}`)
    assert.strictEqual(Relayed.toFinite(finite), finite)
  })

  it("takes the last of two members of one name", () => {
    assert.strictEqual(JSON.stringify(Relayed.parseUnsafe(`{"x":1.0,"x":2}`)), `{"x":2}`)
    assert.strictEqual(JSON.stringify(Relayed.parseUnsafe(`{"x":2,"x":1.0}`)), `{"x":1.0}`)
  })

  it("is refused by name where a member stands in its way", () => {
    assert.throws(() => Relayed.parseUnsafe(`{"toJSON":1,"x":1.0}`), /`toJSON` cannot keep the digits/)
    assert.strictEqual(JSON.stringify(Relayed.parseUnsafe(`[{"toJSON":1},1.0]`)), `[{"toJSON":1},1.0]`)
  })
})
