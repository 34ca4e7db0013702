import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as Corpus from "@parley/conformance/Corpus"
import type { Law } from "@parley/conformance/Laws"
import { Codec, CodecLaws, Generators, Wire } from "@parley/conformance/shared"
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import { Relayed } from "@parley/protocol/shared"
import { Effect, Equal, Result, Schema } from "effect"

const { parley } = Codec

const keep = (laws: ReadonlyArray<Law>) => Effect.forEach(laws, (law) => law.check, { discard: true })

/** The JSON objects of a text: none where it is no JSON, many where it is a batch. Numbers are doubles. */
const valuesOf = (text: string): ReadonlyArray<unknown> => {
  const json = Result.map(Message.parse(text), (value) => Relayed.parseUnsafe(JSON.stringify(value)))
  return Result.match(json, { onFailure: () => [], onSuccess: (value) => Array.isArray(value) ? value : [value] })
}

const textAfter = (before: string, message: Message.Message): string => {
  Message.encodeUnsafe({ _tag: "Notification", method: "m", params: [before] })
  return Message.encodeUnsafe(message)
}

describe("promise 1: every text decodes to a message or to a value that says what is wrong", () => {
  it.effect("promise 1: every text decodes to a message or to a value that says what is wrong", () =>
    keep(CodecLaws.total(parley, { runs: 300 })))

  it("promise 1: every text decodes to a value, and so does every text of the corpus", () => {
    const texts = Corpus.corpus.flatMap(({ input }) => [input, input.replace(/\d+/g, "1e400")])
    for (const dialect of [Dialect.jsonRpc, Dialect.lenient, Dialect.jsonRpc1]) {
      for (const options of [dialect, { ...dialect, foreign: "keep" } as const]) {
        for (const text of ["1e400", "[[1e400]]", ...texts]) {
          assert.isTrue(Result.isResult(Message.decode(text, options)), text)
          const batch = Batch.decode(text, options)
          assert.isTrue(Batch.isMembers(batch) ? batch.every(Result.isResult) : Result.isResult(batch), text)
        }
      }
    }
  })

  it.prop(
    "promise 1: every text decodes to a value, and so does every beginning of a message",
    [Generators.message],
    ([message]) => {
      const text = Message.encodeUnsafe(message)
      for (let end = 0; end < text.length; end++) {
        const decoded = Message.decode(text.slice(0, end))
        assert.isTrue(Result.isFailure(decoded) && decoded.failure._tag === "ParseError")
      }
    },
    { arbitrary: { runs: 50 } }
  )
})

describe("promise 2: decode after encode is the identity, and the decoder accepts exactly what the Schema accepts", () => {
  it.effect("promise 2: decode after encode is the identity, and the decoder accepts exactly what the Schema accepts", () =>
    keep(CodecLaws.faithful(parley, { runs: 500 })))

  it.effect.each([
    Dialect.lsp,
    Dialect.jsonRpc1,
    Dialect.lenient,
    Dialect.make({ name: "null", params: "null", nullParams: "absent", nullId: "refuse", version: "omit" })
  ])(
    "promise 2: decode after encode is the identity as the Schema of the dialect $name has it",
    (dialect) => keep(CodecLaws.faithful(Codec.of(dialect), { runs: 500 }))
  )

  it("promise 2: decode after encode is the identity, and decoder and Schema agree on every text of the corpus", () => {
    const read = Schema.decodeUnknownResult(Wire.Wire)
    for (const member of Corpus.corpus.flatMap(({ input }) => valuesOf(input))) {
      const [decoded, schema] = [Message.decode(JSON.stringify(member)), read(member)]
      assert.strictEqual(Result.isSuccess(decoded), Result.isSuccess(schema), JSON.stringify(member))
      if (Result.isSuccess(decoded)) {
        assert.isTrue(Equal.equals(decoded, schema))
        assertEquals(Result.flatMap(Message.encode(decoded.success), (text) => Message.decode(text)), decoded)
      }
    }
  })

  it.prop("promise 2: what the published Schema generates comes back", [Message.Message], ([message]) => {
    assertEquals(Message.decode(Message.encodeUnsafe(message)), Result.succeed(message))
  })

  it.each([
    [`"\\n"`, "\n"],
    [`"\\""`, "\""],
    [`"\\/"`, "/"],
    [`"\\u0000"`, "\0"],
    [`"\\u005C" `, "\\"],
    [`"\\u0061"`, "a"]
  ])("promise 2: the name %s is read as it stands, whatever was read before", (escape, name) => {
    const textOf = (member: string) => `{"jsonrpc":"2.0","method":"m","params":{"before":1.5,${member}:2.0}}`
    // After this text, V8 takes every name of one escape for the one in it.
    Message.decode(textOf(`"\\\\"`))
    const expected: Batch.Decoded = Result.succeed({
      _tag: "Notification",
      method: "m",
      params: { before: 1.5, [name]: 2 }
    })
    assertEquals(Message.decode(textOf(escape)), expected)
    assertEquals(Message.decode(` ${textOf(escape)}`), expected)
    assertEquals(Batch.decode(`[${textOf(escape)}]`), [expected])
  })

  it.prop(
    "promise 2: the text of a message does not depend on how long the one before was",
    [Generators.message],
    ([message]) => {
      assert.strictEqual(textAfter("x".repeat(100_000), message), textAfter("", message))
    }
  )

  it("promise 2: what has no text is refused, however long the message before was", () => {
    // What a caller without types may pass.
    const params = { toJSON: () => undefined } as unknown as Schema.JsonObject
    const method = undefined as unknown as string
    for (const before of ["", "x".repeat(100_000)]) {
      assert.throws(() => textAfter(before, { _tag: "Notification", method: "m", params }), TypeError)
      assert.throws(() => textAfter(before, { _tag: "Notification", method, params: {} }), TypeError)
      assert.throws(() => textAfter(before, { _tag: "Request", id: 1, method, params: {} }), TypeError)
    }
  })

  it.prop("promise 2: a batch comes back", [Generators.message, Generators.message], ([one, other]) => {
    const texts = Batch.join([Message.encodeUnsafe(one), Message.encodeUnsafe(other)])
    assertEquals(Batch.decode(texts), [Result.succeed(one), Result.succeed(other)])
  })
})

describe("promise 3: an id comes back as it was sent", () => {
  it.effect("promise 3: an id comes back as it was sent", () => keep(CodecLaws.exactIds(parley, { runs: 300 })))

  it.each([
    "9007199254740993",
    "1e400",
    "1.50",
    "1.0",
    "-0",
    "\"\\u0061\"",
    "\"9007199254740993\"",
    "null",
    "0",
    "\"\"",
    "-1.5"
  ])(
    "promise 3: %s is written as it was read",
    (id) => {
      const text = `{"jsonrpc":"2.0","id":${id},"method":"m"}`
      assertEquals(Result.flatMap(Message.decode(text), Message.encode), Result.succeed(text))
    }
  )
})

describe("promise 5: depth and batch limits hold, and what cannot be encoded is an error", () => {
  it.effect("promise 5: depth and batch limits hold, and what cannot be encoded is an error", () =>
    keep(CodecLaws.bounded(parley, { runs: 300 })))

  const nested = (levels: number) =>
    `{"jsonrpc":"2.0","method":"m","params":${"[".repeat(levels)}${"]".repeat(levels)}}`
  const members = (count: number) => `[${new Array(count).fill(`{"jsonrpc":"2.0","method":"m"}`).join(",")}]`

  it("promise 5: the defaults are 512 levels and 1,000 members", () => {
    assert.isTrue(Result.isSuccess(Message.decode(nested(511))))
    assert.isTrue(Result.isFailure(Message.decode(nested(512))))
    assert.isTrue(Batch.isMembers(Batch.decode(members(1_000))))
    assert.isFalse(Batch.isMembers(Batch.decode(members(1_001))))
  })

  it("promise 5: a limit of thousands of levels reads them, and finds the id behind them", () => {
    const deep = nested(20_000)
    assert.isTrue(Result.isSuccess(Message.decode(deep, { depth: 20_001 })))
    const decoded = Message.decode(`${deep.slice(0, -1)},"id":9007199254740993}`, { depth: 20_001 })
    const id = Result.isSuccess(decoded) && decoded.success._tag === "Request" ? decoded.success.id : undefined
    assert.strictEqual(JSON.stringify(id), "9007199254740993")
  })

  it("promise 5: a value of 100,000 levels is an EncodingError", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)
    const encoded = Message.encode({ _tag: "Success", id: 1, result: deep })
    assert.isTrue(Result.isFailure(encoded) && encoded.failure._tag === "EncodingError")
  })

  it("promise 5: a dialect without batches refuses every array", () => {
    for (const text of [members(1), members(2), "[]"]) {
      const batch = Batch.decode(text, { batches: "refuse" })
      assert.isTrue(!Batch.isMembers(batch) && Result.isFailure(batch))
    }
  })
})
