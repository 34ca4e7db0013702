import { assert, describe, it } from "@effect/vitest"
import { Generators, Mutation } from "@parley/conformance/shared"
import { ExactNumber, Splice } from "@parley/protocol/shared"
import { Arbitrary, Effect } from "effect"

const other = () => "\"other\""

describe("Splice", () => {
  it("promise 3: an id comes back as it was sent: a text with another id differs in its characters only", () => {
    const members = `"params":{"id":12345678901234567890,"x":1e400,"s":"\\"id\\":1}"}, "extra" : [0.10,{"id":null}]`
    for (
      const id of ["1", "-0.10", "1e400", "12345678901234567890", "null", "\"\"", "\"a\\\"}\\\\\"", "true", "[1,{}]"]
    ) {
      for (
        const text of [
          `{"jsonrpc":"2.0","id":${id},"method":"m",${members}}`,
          ` {\n"id" :\t${id}\r\n, ${members} }\n`,
          `{${members},"\\u0069d": ${id}}`,
          `{"i\\u0064":${id},${members}}`
        ]
      ) {
        const seen: Array<unknown> = []
        const spliced = Splice.mapIds(text, (...found) => {
          seen.push(found)
          return "\"other\""
        })
        assert.deepStrictEqual(seen, [[id, 0]])
        const at = spliced.indexOf("\"other\"")
        assert.strictEqual(spliced.slice(0, at) + id + spliced.slice(at + 7), text)
      }
    }
  })

  it("promise 3: an id comes back as it was sent: of several the last, which is the one that JSON.parse takes", () => {
    assert.strictEqual(Splice.mapIds(`{"id":1,"id":2}`, other), `{"id":1,"id":"other"}`)
  })

  it("changes the ids of the members of a batch, by their place", () => {
    const text = ` [ {"id":1,"a":[{"id":7}]} ,{"method":"n"}, 5 , null,{"id":"x"}]`
    assert.strictEqual(
      Splice.mapIds(text, (id, member) => `[${id},${member}]`),
      ` [ {"id":[1,0],"a":[{"id":7}]} ,{"method":"n"}, 5 , null,{"id":["x",4]}]`
    )
    assert.deepStrictEqual(Splice.parts(text), [
      `{"id":1,"a":[{"id":7}]}`,
      `{"method":"n"}`,
      "5",
      "null",
      `{"id":"x"}`
    ])
    assert.deepStrictEqual(Splice.parts(` {"id":[]} `), [`{"id":[]}`])
    assert.deepStrictEqual(Splice.parts("[]"), [])
  })

  const values = Arbitrary.array(Generators.json, { maxLength: 4 })
  const blanks = Generators.elements("", " ", "\t", "\n  ")

  it.effect.prop(
    "a text whose ids are replaced by themselves is the same, and its parts are what is read in it",
    { values, blanks },
    ({ blanks, values }) =>
      Effect.sync(() => {
        const text = JSON.stringify(values, undefined, blanks)
        assert.strictEqual(Splice.mapIds(text, (id) => id), text)
        assert.deepStrictEqual(
          Splice.parts(text).map((part) => ExactNumber.parseUnsafe(part)),
          ExactNumber.parseUnsafe(text)
        )
      })
  )

  it.effect.prop("what is no JSON comes out as it was, too", { text: Mutation.text }, ({ text }) =>
    Effect.sync(() => {
      assert.strictEqual(Splice.mapIds(text, (id) => id), text)
    }))

  it("tells the names of messages as they are written, also those that stand twice", () => {
    const text = `[ {"id" : 1,"i\\u0064":[{"x":1}],"id":"}"} ,5, {}, {"\\"":{"a":[]}}]`
    assert.deepStrictEqual(Splice.names(text), [[`"id"`, `"i\\u0064"`, `"id"`], [], [], [`"\\""`]])
    assert.deepStrictEqual(Splice.names(` {"a":1} `), [[`"a"`]])
  })
})
