import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { Codec, CodecLaws } from "@parley/conformance/shared"
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { RequestId } from "@parley/protocol/shared"
import { Effect, Result, Schema } from "effect"

const decodeId = (id: string) =>
  Result.match(Message.decode(`{"jsonrpc":"2.0","method":"m","id":${id}}`), {
    onFailure: (error) => error._tag === "InvalidRequest" ? ["refused", error.id] : [error._tag],
    onSuccess: (message) => message._tag === "Request" ? [RequestId.toText(message.id)] : [message._tag]
  })

/** Runs with members of `JSON` replaced, as they are in older runtimes. */
const withJSON = <A, E>(members: Readonly<Record<string, unknown>>, self: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = Object.keys(members).map((key) => [key, Object.getOwnPropertyDescriptor(JSON, key)!] as const)
      Object.assign(JSON, members)
      return before
    }),
    () => self,
    (before) => Effect.sync(() => before.forEach(([key, descriptor]) => Object.defineProperty(JSON, key, descriptor)))
  )

/** How often a text is parsed to decode it. */
const reads = (text: string): number => {
  const { parse } = JSON
  let count = 0
  JSON.parse = (argument) => {
    if (argument === text) count++
    return parse(argument)
  }
  try {
    const decoded = Batch.decode(text)
    assert.isTrue(Batch.isMembers(decoded) ? decoded.every(Result.isSuccess) : Result.isSuccess(decoded))
    return count
  } finally {
    JSON.parse = parse
  }
}

describe("RequestId", () => {
  it.effect("promise 3: without JSON.rawJSON an id with digits beyond a number is refused", () =>
    withJSON(
      { rawJSON: undefined, isRawJSON: undefined },
      Effect.sync(() => {
        for (const id of ["9007199254740993", "1.000000000000000000000000000001", "1e400"]) {
          assert.deepStrictEqual(decodeId(id), ["refused", null])
        }
        for (const id of ["1", "0", "1.5", "9007199254740992", "\"9007199254740993\""]) {
          assert.deepStrictEqual(decodeId(id), [id])
        }
        for (const [id, equal] of [["1.50", "1.5"], ["1.0", "1"], ["\"\\u0061\"", "\"a\""]] as const) {
          assert.deepStrictEqual(decodeId(id), [equal])
        }
      }).pipe(Effect.andThen(Effect.forEach(CodecLaws.exactIds(Codec.parley, { runs: 50 }), (law) => law.check)))
    ))

  const shapes: ReadonlyArray<readonly [string, (id: string) => string]> = [
    ["in front", (id) => `{"jsonrpc":"2.0","id":${id},"method":"m"}`],
    ["at the end", (id) => `{"method":"m","jsonrpc":"2.0","id":${id}}`],
    ["in the middle", (id) => `{"jsonrpc":"2.0","method":"m","id":${id},"params":{"id":"7.0"}}`],
    ["between blanks", (id) => ` { "jsonrpc" : "2.0", "id" : ${id} , "method" : "m" } `],
    ["after another", (id) => `{"jsonrpc":"2.0","id":7,"method":"m","params":[],"id":${id}}`],
    ["before what looks like one", (id) => `{"jsonrpc":"2.0","id":${id},"method":"m","x":",\\"id\\":1"}`],
    ["with an escaped key", (id) => `{"jsonrpc":"2.0","method":"m","i\\u0064":${id},"params":[{"id":3}]}`]
  ]
  const spellings = [
    "0",
    "-0",
    "1",
    "1.0",
    "1e2",
    "100",
    "1.000000000000000000000000000001",
    "9007199254740993",
    "1e999",
    "1.5",
    "0.10",
    "\"\"",
    "\"a\"",
    "\"\\u0061\"",
    "\"\\\\\"",
    "\"\\\"id\\\":1\"",
    "null"
  ]
  it.each(shapes)(
    "promise 3: an id comes back as its source text %s, and the text is parsed at most once",
    (_, textOf) => {
      for (const id of spellings) {
        for (
          const [text, index] of [[textOf(id), 0], [`[${textOf("8")},${textOf(id)} , ${textOf("2.0")}]`, 1]] as const
        ) {
          const decoded = Batch.decode(text)
          const message = Result.getOrThrow(Batch.isMembers(decoded) ? decoded[index]! : decoded)
          assert.strictEqual(message._tag === "Request" ? RequestId.toText(message.id) : message._tag, id, text)
          assert.isAtMost(reads(text), 1)
        }
      }
    }
  )

  it("promise 3: an id is the parsed value where JavaScript writes it as it came", () => {
    for (const id of [0, -1, 1.5, Number.MAX_SAFE_INTEGER, "", "1", "é"]) {
      assert.strictEqual(RequestId.fromParsed(id, () => JSON.stringify(id)), id)
      assert.isObject(RequestId.fromParsed(id, () => typeof id === "number" ? `${id}e0` : "\"\\u0031\""))
    }
    const source = () => assert.fail("was read")
    for (const value of [true, false, {}, [], undefined]) assert.isUndefined(RequestId.fromParsed(value, source))
    assert.isNull(RequestId.fromParsed(null, source))
    assert.strictEqual(RequestId.fromParsed(1, () => undefined), 1)
    assert.isUndefined(RequestId.fromParsed(1.5, () => undefined))
  })

  it("promise 3: the id of a response is its value", () => {
    const source = () => assert.fail("was read")
    for (const id of [0, -1, Number.MAX_SAFE_INTEGER, "", "1", null]) {
      assert.strictEqual(RequestId.fromResponse(id, source), id)
    }
    assert.deepStrictEqual(RequestId.fromResponse(1.5, () => "1.5"), 1.5)
    assert.isObject(RequestId.fromResponse(9007199254740992, () => "9007199254740993"))
  })

  it.each([
    [["1", "1.0", "1e0", "10e-1", "0.1E+1", "1.00000000000000000000000000000000"], "1"],
    [["0", "-0", "0.0", "0e99999999999999999999", "-0.000e1"], "0"],
    [["-1500", "-1.5e3", "-15e2"], "-1500"],
    [["1e21", "1000000000000000000000"], "1e+21"],
    [["1.5", "1.50", "15e-1"], "1.5"],
    [["9007199254740993", "9007199254740993.0", "9007199254740993e0"], "9007199254740993e0"],
    [["1.000000000000000000000000000001"], "1000000000000000000000000000001e-30"],
    [["1e999", "10e998", "0.1e1000"], "1e999"],
    [["\"a\"", "\"\\u0061\""], "\"a\""],
    [["\"1\""], "\"1\""],
    [["null"], "null"]
  ])("ids of equal value have one key: %j", (texts, key) => {
    for (const text of texts) {
      const id = RequestId.fromParsed(JSON.parse(text), () => text)
      assert.strictEqual(id === undefined ? undefined : RequestId.keyOf(id), key)
    }
  })

  it("an id of a million digits costs linear time, and its text is its key", () => {
    const text = `1e${"9".repeat(1_000_000)}`
    const id = RequestId.fromParsed(JSON.parse(text), () => text)
    assert.strictEqual(id === undefined ? undefined : RequestId.keyOf(id), text)
  })

  it.prop("an id has one text", [RequestId.RequestId, RequestId.RequestId], ([one, other]) => {
    assert.doesNotThrow(() => JSON.parse(RequestId.toText(one)))
    if (RequestId.toText(one) === RequestId.toText(other)) assertEquals(one, other)
  })

  it("raw JSON of anything but a number or string in another spelling is no id", () => {
    const raw = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON
    const is = Schema.is(RequestId.RequestId)
    for (const text of ["9007199254740993", "1e400", "0.10", "1.0", "-0", "\"\\u0061\""]) assert.isTrue(is(raw(text)))
    for (const text of ["1", "1.5", "true", "null", "\"1\"", "9007199254740992"]) assert.isFalse(is(raw(text)))
  })

  it("NaN and the infinities have no text", () => {
    for (const id of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => RequestId.toText(id), TypeError)
  })

  it("-0 is written as 0, which JSON takes for the same", () => {
    assert.strictEqual(RequestId.toText(-0), "0")
  })
})
