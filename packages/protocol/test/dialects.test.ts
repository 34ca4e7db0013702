import { describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as Batch from "@parley/protocol/Batch"
import * as Dialect from "@parley/protocol/Dialect"
import * as Message from "@parley/protocol/Message"
import { Result, type Schema } from "effect"

const { jsonRpc, jsonRpc1, lenient } = Dialect
const omitting = Dialect.make({ name: "omitting", version: "omit" })

const read = (text: string, dialect: Dialect.Dialect) =>
  Result.match(Message.decode(text, dialect), {
    onSuccess: (message) => message as unknown,
    onFailure: ({ _tag }) => _tag
  })

const failure = (code: number, message: string, data?: Schema.Json) => ({
  _tag: "Failure",
  id: 1,
  error: data === undefined ? { code, message } : { code, message, data }
})

describe("promise 2: decode after encode is the identity, in each dialect", () => {
  it.each([
    ["no version", `{"id":1,"method":"m"}`, { _tag: "Request", id: 1, method: "m" }],
    ["another version", `{"jsonrpc":"1.0","id":1,"method":"m"}`, { _tag: "Request", id: 1, method: "m" }],
    ["a member that is extra, and no version", `{"id":1,"method":"m","more":1}`, {
      _tag: "Request",
      id: 1,
      method: "m",
      extra: { more: 1 }
    }],
    ["id null", `{"id":null,"method":"m","params":[]}`, { _tag: "Notification", method: "m", params: [] }],
    ["params null", `{"id":1,"method":"m","params":null}`, { _tag: "Request", id: 1, method: "m" }],
    ["error null beside a result", `{"id":1,"result":2,"error":null}`, { _tag: "Success", id: 1, result: 2 }],
    ["both null", `{"id":1,"result":null,"error":null}`, { _tag: "Success", id: 1, result: null }],
    ["result null beside an error", `{"id":1,"result":null,"error":{"code":5,"message":"m"}}`, failure(5, "m")],
    ["an error that is a string", `{"id":1,"result":null,"error":"no such method"}`, failure(-32000, "no such method")],
    [
      "an error without a code",
      `{"id":1,"error":{"message":"m","type":"T"}}`,
      failure(-32000, "m", {
        message: "m",
        type: "T"
      })
    ],
    ["an error that is a number", `{"id":1,"error":7}`, failure(-32000, "the error has no message", 7)],
    ["a result and an error", `{"id":1,"result":2,"error":"no"}`, "InvalidResponse"],
    ["an error that is null alone", `{"id":1,"error":null}`, "InvalidResponse"],
    ["neither version nor method", `{"id":1}`, "InvalidRequest"]
  ])("promise 2: decode after encode is the identity, where a peer sends %s", (_, text, expected) => {
    assertEquals(read(text, jsonRpc1), expected)
    assertEquals(read(text, lenient), expected)
    assertEquals(typeof read(text, jsonRpc), "string")
  })

  it.each<[Message.Message, Dialect.Dialect, string]>([
    [{ _tag: "Request", id: 1, method: "m" }, jsonRpc1, `{"id":1,"method":"m","params":[]}`],
    [{ _tag: "Notification", method: "m", params: [1] }, jsonRpc1, `{"id":null,"method":"m","params":[1]}`],
    [{ _tag: "Success", id: 1, result: null }, jsonRpc1, `{"id":1,"result":null,"error":null}`],
    [
      { _tag: "Failure", id: "a", error: { code: 1, message: "m", data: 2 } },
      jsonRpc1,
      `{"id":"a","result":null,"error":{"code":1,"message":"m","data":2}}`
    ],
    [{ _tag: "Request", id: 1, method: "m", extra: { more: 1 } }, omitting, `{"id":1,"method":"m","more":1}`],
    [{ _tag: "Notification", method: "m" }, omitting, `{"method":"m"}`],
    [
      { _tag: "Request", id: 1, method: "m" },
      Dialect.make({ name: "null", params: "null" }),
      `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`
    ],
    [{ _tag: "Request", id: 1, method: "m", params: {} }, lenient, `{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`]
  ])(
    "promise 2: decode after encode is the identity, and %j is written as the dialect says",
    (message, dialect, text) => {
      assertEquals(Message.encode(message, dialect), Result.succeed(text))
    }
  )

  it("promise 2: decode after encode is the identity, and params by name have no text in JSON-RPC 1.0", () => {
    const encoded = Message.encode({ _tag: "Request", id: 1, method: "m", params: {} }, jsonRpc1)
    assertEquals(Result.mapError(encoded, ({ _tag }) => _tag), Result.fail("EncodingError" as const))
  })

  it("tells the dialects that write as JSON-RPC 2.0 has it", () => {
    assertEquals(
      [jsonRpc, Dialect.lsp, Dialect.ethereum, lenient, jsonRpc1, omitting].map(Message.isUsual),
      [true, true, true, true, false, false]
    )
  })

  it.each([`{"event":"volume"}`, "7", "null", `"text"`, `{}`])(
    "keeps what resembles no message, if asked: %s",
    (text) => {
      const kept = Result.mapError(Message.decode(text, { foreign: "keep" }), (error) => Object(error).foreign)
      assertEquals(kept, Result.fail(JSON.parse(text)))
      assertEquals(Object.hasOwn(Result.getOrThrow(Result.flip(Message.decode(text))), "foreign"), false)
    }
  )

  it.each([`{"method":1}`, `{"jsonrpc":"2.0","event":1}`, `{"result":1}`, `{"error":1}`, "1e400", `{"event":-1e400}`])(
    "keeps no message that is merely invalid, and no number beyond a double: %s",
    (text) => {
      const error = Result.getOrThrow(Result.flip(Message.decode(text, { foreign: "keep" })))
      assertEquals(Object.hasOwn(error, "foreign"), false)
    }
  )

  it("reads batches where it writes none", () => {
    assertEquals(Batch.isMembers(Batch.decode(`[{"method":"m"}]`, lenient)), true)
    assertEquals(Batch.isMembers(Batch.decode(`[{"method":"m"}]`, jsonRpc1)), false)
  })
})
