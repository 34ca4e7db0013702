/** Texts of values that are written once, or go on as they came. */
import { assert, describe, it } from "@effect/vitest"
import * as Message from "@parley/protocol/Message"
import { ExactNumber, Relayed, SourceText, Written } from "@parley/protocol/shared"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"

describe("Written", () => {
  it("gives a response the text that was kept, and writes no other", () => {
    const result = { items: ["a"], total: 1 }
    const text = Message.successText("7", result)
    assert.strictEqual(Written.textOf(result), undefined)
    assert.strictEqual(Written.keep(result), result)
    assert.strictEqual(Written.textOf(result), `{"items":["a"],"total":1}`)
    assert.strictEqual(Message.successText("7", result), text)
    // What a caller must not do shows that the text is not written anew.
    result.items.push("b")
    assert.strictEqual(Message.successText("7", result), text)
    assert.strictEqual(
      Message.successText("7", { ...result }),
      `{"jsonrpc":"2.0","id":7,"result":{"items":["a","b"],"total":1}}`
    )
  })

  it("keeps the text of a copy, so that what is changed later is written as it is then", () => {
    for (const json of [{ count: 0 }, [0], { toJSON: () => "other" } as never]) {
      const text = JSON.stringify(json)
      const copy = Written.copy(json)
      Object.assign(json, { 0: 1, toJSON: () => "changed" })
      assert.strictEqual(Written.textOf(json), undefined)
      assert.strictEqual(Message.successText("7", json), `{"jsonrpc":"2.0","id":7,"result":"changed"}`)
      assert.strictEqual(Message.successText("7", copy), `{"jsonrpc":"2.0","id":7,"result":${text}}`)
    }
  })

  it("knows nothing of what is no object", () => {
    assert.deepStrictEqual([null, 1, "a", true, []].map((json) => Written.textOf(json)), Array(5).fill(undefined))
  })
})

const Blank = Schema.Literals(["", " ", "\n", "\r\n\t"])

const Layout = Schema.Struct({ blank: Blank, place: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })) })

/** Every character as an escape, so that the name is the same and its text is another. */
const escaped = (name: string): string =>
  `"${[...Array(name.length).keys()].map((at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`

interface Written {
  readonly text: string
  /** Whether a name stands twice in it. */
  readonly isTwice: boolean
}

/** A text of the value, in which the object of this number has its first name twice; the second time as `spell` writes it. */
const written = (json: Schema.Json, blank: string, place?: number, spell = JSON.stringify): Written => {
  let left = place
  let isTwice = false
  const textOf = (value: Schema.Json): string => {
    if (typeof value !== "object" || value === null) return JSON.stringify(value)
    if (Array.isArray(value)) return `[${blank}${value.map(textOf).join(`${blank},${blank}`)}${blank}]`
    const members = Object.entries(value).map(([name, member]) =>
      `${JSON.stringify(name)}${blank}:${blank}${textOf(member)}`
    )
    const [first] = Object.keys(value)
    if (left !== undefined && first !== undefined && left-- === 0) {
      isTwice = true
      members.push(`${spell(first)}:1`)
    }
    return `{${blank}${members.join(`${blank},${blank}`)}${blank}}`
  }
  return { text: textOf(json), isTwice }
}

const response = (result: string): string => `{"jsonrpc":"2.0","id":1,"result":${result}}`

const kept = (text: string): { readonly rule: string | undefined; readonly result: Schema.Json } => {
  const { result } = Object(Relayed.parseUnsafe(text))
  return { rule: SourceText.keep(SourceText.scan(text), result), result }
}

const depthOf = (json: unknown): number =>
  typeof json === "object" && json !== null ? 1 + Math.max(0, ...Object.values(json).map(depthOf)) : 0

const isObject = (json: Schema.Json): json is Schema.JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

describe("the text of a result", () => {
  it.prop(
    "goes on with each member that is an object or array, whatever the result is",
    { json: Arbitrary.schema(Schema.Record(Schema.String, Schema.Json)), layout: Arbitrary.schema(Layout) },
    ({ json, layout: { blank } }) => {
      const { text } = written(json, blank)
      const { result, rule } = kept(response(text))
      assert.isUndefined(rule)
      if (!isObject(result)) return
      const passed = Message.successText("2", { ...result, more: 1 })
      const read = Object(Relayed.parseUnsafe(text))
      assert.deepStrictEqual(Relayed.parseUnsafe(passed), { jsonrpc: "2.0", id: 2, result: { ...read, more: 1 } })
      assert.isFalse(passed.includes("\n"))
      for (const member of Object.values(json)) {
        if (typeof member === "object" && member !== null) {
          assert.include(passed, written(member, blank).text.replaceAll(/[\r\n]+/g, " "))
        }
      }
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop(
    "is refused where a name stands twice in an object of it, at any depth and in any spelling",
    {
      json: Arbitrary.schema(Schema.Json),
      layout: Arbitrary.schema(Layout),
      isEscaped: Arbitrary.schema(Schema.Boolean)
    },
    ({ isEscaped, json, layout: { blank, place } }) => {
      const result = { content: [json, { a: json }], more: json }
      const { isTwice, text } = written(result, blank, place, isEscaped ? escaped : JSON.stringify)
      const { rule } = kept(response(text))
      assert.strictEqual(rule !== undefined, isTwice)
      if (isTwice) assert.match(rule ?? "", /^the name ".*" stands twice in one object$/)
    },
    { arbitrary: { runs: 500 } }
  )

  it.prop(
    "tells its depth, and whether it has a number that JavaScript writes otherwise",
    {
      json: Arbitrary.schema(Schema.Json),
      layout: Arbitrary.schema(Layout),
      number: Arbitrary.schema(
        Schema.String.check(Schema.isPattern(/^-?(?:0|[1-9][0-9]{0,18})(?:\.[0-9]{1,9})?(?:e[0-9])?$/))
      )
    },
    ({ json, layout: { blank }, number }) => {
      const text = response(`{"a":[${number}${blank},${written(json, blank).text}]}`)
      const { depth, mayDiffer } = SourceText.scan(text)
      assert.strictEqual(depth, depthOf(Relayed.parseUnsafe(text)))
      assert.strictEqual(mayDiffer, ExactNumber.mayHave(text))
    },
    { arbitrary: { runs: 300 } }
  )

  it.each([
    [`{"result":{},"id":1,"result":{}}`, "result"],
    [`{"result":{},"id":1,"\\u0072esult":{}}`, "result"],
    [`{"\\u0072esult":{"a":1,"a":2},"id":1}`, "a"],
    [`{"result":{"isError":false,"\\u0069sError":true},"id":1}`, "isError"],
    [`{"result":{"a":{"__proto__":1,"__proto__":{"b":2}}},"id":1}`, "__proto__"],
    [`{"result":[{"":1,"":2}],"id":1}`, ""],
    [`{"result":{"a":{"x\\"y":1,"x\\u0022y":2}},"id":1}`, "x\"y"]
  ])("is refused with the name that stands twice: %s", (text, name) => {
    assert.strictEqual(kept(text).rule, `the name ${JSON.stringify(name)} stands twice in one object`)
  })

  it.each(["0.10", "1e999", "12345678901234567890"])(
    "is refused so beside a number that is kept by its text: %s",
    (number) => {
      const textOf = (other: string) => response(`{"a":{"n":${number},"role":1,"${other}":2},"b":${number}}`)
      const keep = (text: string) =>
        SourceText.keep(SourceText.scan(text), Object(ExactNumber.parseUnsafe(text)).result)
      assert.strictEqual(keep(textOf("role")), "the name \"role\" stands twice in one object")
      assert.isUndefined(keep(textOf("other")))
    }
  )

  it("keeps digits, escapes, order and blanks", () => {
    for (
      const member of [
        `{"b":1,"2":1.0,"1":1e400,"id":12345678901234567890}`,
        `["\\u0061\\/","\\ud800", -0]`,
        `{ "__proto__" : {"a":[ ]} }`
      ]
    ) {
      const { result } = kept(response(`{"x":1,"member":${member}}`))
      if (!isObject(result)) return assert.fail()
      assert.strictEqual(
        Message.successText("1", { y: 2, ...result }),
        response(`{"y":2,"x":1,"member":${member}}`)
      )
      // Another value has another text.
      assert.notInclude(Message.successText("1", { member: { ...Object(result["member"]), z: 1 } }), member)
    }
  })

  it("is none where a surrogate is alone in it: its bytes would have another character", () => {
    const { result, rule } = kept(response(`{"list":["\ud800"]}`))
    assert.isUndefined(rule)
    assert.strictEqual(Message.successText("1", result), response(`{"list":["\\ud800"]}`))
  })

  it("stands beside numbers with their digits, and in every form of a response", () => {
    const text = response(`{"list":[1.0],"ttl":2.50}`)
    const result = Object(Relayed.parseUnsafe(text)).result
    assert.isUndefined(SourceText.keep(SourceText.scan(text), result))
    assert.strictEqual(Message.successText("1", result), text)
    assert.strictEqual(
      Message.successText("1", result, { version: "omit", responses: "both" }),
      `{"id":1,"result":{"list":[1.0],"ttl":2.50},"error":null}`
    )
  })

  it("has no places in a text that is no JSON, and is scanned all the same", () => {
    for (const text of ["", "\"", "{\"", "}}}", "[{:::", "{\"result\":{\"a\":[", "1.1.1", "\\\"\\"]) {
      assert.isArray(SourceText.scan(text).members)
    }
  })
})
