import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { Wire } from "@parley/conformance/shared"
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { Result, Schema } from "effect"

const ruleOf = (text: string, options?: Message.DecodeOptions) =>
  Result.mapError(Message.decode(text, options), ({ _tag, rule }) => [_tag, rule])

const deep = `${"[".repeat(600)}${"]".repeat(600)}`

describe("Message", () => {
  it.each([
    [`[]`, "InvalidRequest", "a message must be an object"],
    [`{}`, "InvalidRequest", "`jsonrpc` must be \"2.0\""],
    [`{"jsonrpc":2.0,"method":"m"}`, "InvalidRequest", "`jsonrpc` must be \"2.0\""],
    [`{"jsonrpc":"2.0","id":1}`, "InvalidRequest", "a message must have a `method`, a `result` or an `error`"],
    [`{"jsonrpc":"2.0","method":1}`, "InvalidRequest", "`method` must be a string"],
    [`{"jsonrpc":"2.0","method":"m","id":true}`, "InvalidRequest", "`id` must be a string, a number or null"],
    [`{"jsonrpc":"2.0","method":"m","params":1}`, "InvalidRequest", "`params` must be an object or an array"],
    [`{"jsonrpc":"2.0","method":"m","params":null}`, "InvalidRequest", "`params` must be an object or an array"],
    [`{"jsonrpc":"1.0","id":1,"result":1}`, "InvalidResponse", "`jsonrpc` must be \"2.0\""],
    [
      `{"jsonrpc":"2.0","id":1,"result":1,"error":null}`,
      "InvalidResponse",
      "a response must have either `result` or `error`"
    ],
    [`{"jsonrpc":"2.0","result":1}`, "InvalidResponse", "a response repeats its request's `id`"],
    [
      `{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":""}}`,
      "InvalidResponse",
      "`error` must have an integer `code` and a string `message`"
    ],
    [deep, "ParseError", "the text nests deeper than 512 levels"],
    [`{"jsonrpc":"2.0","id":1,"method":"m","params":${deep}}`, "ParseError", "the text nests deeper than 512 levels"],
    [`{"jsonrpc":"2.0","id":1,"result":${deep}}`, "InvalidResponse", "the text nests deeper than 512 levels"]
  ])("refuses %s by a rule", (text, tag, rule) => {
    assertEquals(ruleOf(text), Result.fail([tag, rule]))
  })

  it.each([
    ["InvalidResponse", 7, `{"id":7,"error":${deep}}`],
    ["InvalidResponse", 7, `{"result":${deep},"id":7.0}`],
    ["InvalidResponse", "a", `{"id":"\\u0061","result":${deep}}`],
    ["InvalidResponse", null, `{"result":${deep}}`],
    ["ParseError", undefined, `[{"id":7,"result":${deep}}]`]
  ])("tells %s of %s from a text that nests too deep", (tag, id, text) => {
    for (const batch of [Message.decode(text), Batch.decode(text)]) {
      const refused = Batch.isMembers(batch) ? undefined : Result.flip(batch)
      const refusal = refused === undefined ? undefined : Result.getOrThrow(refused)
      assert.deepStrictEqual([refusal?._tag, Object(refusal).id], [tag, id])
    }
  })

  it.each(["1", "{}", "{", deep, `{"jsonrpc":"2.0","id":1,"result":1,"error":1}`, `{"id":1,"result":${deep}}`])(
    "promise 14: one bad message costs one error reply, and no stack: %s",
    (text) => {
      const limit = Error.stackTraceLimit
      const malformed = Result.getOrThrow(Result.flip(Message.decode(text)))
      assert.notInclude(malformed.stack, "\n    at ")
      assert.strictEqual(Error.stackTraceLimit, limit)
      assert.include(new Error("another").stack, "\n    at ")
    }
  )

  it("makes errors that are Errors, and that their Schemas know", () => {
    const error = new Message.InvalidRequest({ id: 1, rule: "a rule" })
    assert.instanceOf(error, Error)
    assert.instanceOf(error, Message.InvalidRequest)
    assert.isTrue(Schema.is(Message.InvalidRequest)(error))
    assert.strictEqual(error.name, "InvalidRequest")
    assert.throws(() => new Message.InvalidRequest({ id: Number.NaN, rule: "a rule" }))
    assert.isAbove(Error.stackTraceLimit, 0)
  })

  it("takes params null for no params where the dialect says so", () => {
    const text = `{"jsonrpc":"2.0","method":"m","params":null}`
    assertEquals(Message.decode(text, { nullParams: "absent" }), Result.succeed({ _tag: "Notification", method: "m" }))
  })

  it("keeps unknown members apart, and writes them back", () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"m","__proto__":{"a":1},"result":2}`
    const decoded = Message.decode(text)
    const extra = JSON.parse(`{"__proto__":{"a":1},"result":2}`)
    assertEquals(decoded, Result.succeed({ _tag: "Request", id: 1, method: "m", extra }))
    assertEquals(Result.flatMap(decoded, Message.encode), Result.succeed(text))
  })

  it("keeps a great many unknown members, whatever their names", () => {
    const names = ["__proto__", "error", ...Array.from({ length: 2_000 }, (_, index) => `x${index}`)]
    const extra = JSON.parse(`{${names.map((name) => `"${name}":1`).join(",")}}`)
    const text = `{"jsonrpc":"2.0","method":"m",${JSON.stringify(extra).slice(1, -1)},"params":[],"id":1}`
    const decoded = Message.decode(text)
    assertEquals(decoded, Result.succeed({ _tag: "Request", id: 1, method: "m", params: [], extra }))
  })

  it("has no `extra` where there are no unknown members", () => {
    for (const text of [`{"jsonrpc":"2.0","method":"m"}`, `{"jsonrpc":"2.0","id":1,"result":null}`]) {
      assert.isFalse(Object.hasOwn(Result.getOrThrow(Message.decode(text)), "extra"))
    }
  })

  it("drops what an error object has beyond its three members", () => {
    const text = `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","cause":"private"}}`
    const failure: Message.Message = { _tag: "Failure", id: 1, error: { code: 1, message: "m" } }
    assertEquals(Message.decode(text), Result.succeed(failure))
    const leaky = { ...failure, error: { ...failure.error, cause: "private" } }
    assertEquals(Message.encode(leaky), Result.succeed(`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`))
  })

  it("writes null for a result without JSON text, and for numbers that JSON has not", () => {
    // What a handler without types may return.
    const nothing = undefined as unknown as Schema.Json
    assert.strictEqual(Message.successText("1", nothing), `{"jsonrpc":"2.0","id":1,"result":null}`)
    assert.strictEqual(
      Message.successText("1", [Number.NaN, Number.POSITIVE_INFINITY, -0]),
      `{"jsonrpc":"2.0","id":1,"result":[null,null,0]}`
    )
  })

  it("refuses a byte order mark, which a framing may take away", () => {
    assertEquals(
      Result.mapError(Message.decode(`\ufeff{"jsonrpc":"2.0","method":"m"}`), ({ _tag }) => _tag),
      Result.fail("ParseError" as const)
    )
  })

  it("reads a number beyond the range of a double as JSON.parse does, and the Schema refuses it", () => {
    const text = `{"jsonrpc":"2.0","method":"m","params":[1e400]}`
    assertEquals(
      Message.decode(text),
      Result.succeed({ _tag: "Notification", method: "m", params: [Number.POSITIVE_INFINITY] })
    )
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(Wire.Wire)(JSON.parse(text))))
  })
})
