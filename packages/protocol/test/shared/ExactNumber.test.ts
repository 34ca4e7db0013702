/** Numbers that JavaScript would write otherwise are kept by their text, and everything else is what `JSON.parse` gives. */
import { assert, describe, it } from "@effect/vitest"
import { ExactNumber } from "@parley/protocol/shared"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

const Digits = Schema.String.check(
  Schema.isPattern(/^-?(?:0|[1-9][0-9]{0,40})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,4})?$/)
)

/** A text of JSON: values with blanks, escapes and digits of any kind around them. */
const textOf = (json: Schema.Json, digits: string, blank: string): string =>
  `${blank}{"a":${blank}[${digits}${blank},${
    JSON.stringify(json)
  }]${blank},${blank}"\\u0062\\"":${digits},"__proto__":${digits},"a b":{"c":[${blank}],"d":{${blank}}}}${blank}`

/** A value that no other is. */
const mark = "\"where the digits stand\""

describe("an exact number", () => {
  it.prop(
    "is parsed and written digit for digit, and nothing else is changed",
    { json: Arbitrary.schema(Schema.Json), digits: Digits, blank: Schema.Literals(["", " ", "\r\n\t"]) },
    ({ blank, digits, json }) => {
      const text = textOf(json, digits, blank)
      const expected = JSON.stringify(ExactNumber.parseUnsafe(textOf(json, mark, ""))).replaceAll(mark, digits)
      assert.strictEqual(JSON.stringify(ExactNumber.parseUnsafe(text)), expected)
    },
    { arbitrary: { runs: 500 } }
  )

  it("is a double where JavaScript would write it so", () => {
    const parsed = ExactNumber.parseUnsafe("[1,-1.5,1e+21,0.1,9007199254740993,0.10,-0,1e400,true]")
    assert.isArray(parsed)
    const texts = Array.from(Object(parsed), (value) => ExactNumber.isExactNumber(value) ? value.rawJSON : value)
    assert.deepStrictEqual(texts, [1, -1.5, 1e21, 0.1, "9007199254740993", "0.10", "-0", "1e400", true])
  })

  it("is found behind strings that look like the version of the protocol", () => {
    for (const text of ["{\"jsonrpc\":\"2.0\",\"a\":2.0}", "[\"1.5\",1.50]", "[[2.0]]", "2.0", "[1,2e1]", "-0"]) {
      assert.strictEqual(JSON.stringify(ExactNumber.parseUnsafe(text)), text)
    }
  })

  it("runs what counts them, once for each", () => {
    let count = 0
    ExactNumber.parseUnsafe("[1.0,2,3.0,\"4.0\"]", () => count++)
    assert.strictEqual(count, 2)
  })

  it("is made of the text of a number only", () => {
    assert.strictEqual(ExactNumber.fromTextUnsafe("1.5"), 1.5)
    assert.strictEqual(ExactNumber.textOf(ExactNumber.fromTextUnsafe("1.50")), "1.50")
    for (const text of ["", "1.", "NaN", "Infinity", "true", "\"1\"", "01", "1 "]) {
      assert.throws(() => ExactNumber.fromTextUnsafe(text))
    }
    assert.isFalse(ExactNumber.isExactNumber({ rawJSON: "1" }))
  })
})
