/** Part B: what a framing layer of a command-line server needs from the messages. */
import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { ErrorCode, ErrorObject } from "@parley/protocol/shared"
import { Result } from "effect"

const roundTrip = (message: Message.Message) => Result.flatMap(Message.encode(message), (text) => Message.decode(text))
const again = (text: string) => Result.flatMap(Message.decode(text), Message.encode)

describe("B: a framing layer", () => {
  it.each<Message.Message>([
    { _tag: "Request", id: 1, method: "tools/call", params: { name: "echo" } },
    { _tag: "Notification", method: "notifications/initialized" },
    { _tag: "Success", id: 1, result: { content: [] } },
    { _tag: "Failure", id: 1, error: { code: -32601, message: "Method not found", data: "nope" } }
  ])("B1: a $_tag round-trips through text", (message) => {
    assertEquals(roundTrip(message), Result.succeed(message))
  })

  it.each(["1", "\"1\"", "null", "0", "\"\"", "-9223372036854775808", "9223372036854775807", "18446744073709551615"])(
    "B2: ids keep their JSON type and every digit: %s",
    (id) => {
      for (const rest of ["\"method\":\"m\"", "\"result\":1", "\"error\":{\"code\":1,\"message\":\"m\"}"]) {
        const text = `{"jsonrpc":"2.0","id":${id},${rest}}`
        assertEquals(again(text), Result.succeed(text))
      }
    }
  )

  it("B3: `result` and `error` exclude each other; a missing or wrong `jsonrpc` is refused with a clear text", () => {
    const rule = (text: string) => Result.mapError(Message.decode(text), (error) => error.rule)
    assertEquals(
      rule(`{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}`),
      Result.fail("a response must have either `result` or `error`")
    )
    for (const version of ["", `"jsonrpc":"1.0",`, `"jsonrpc":2,`]) {
      assertEquals(rule(`{${version}"id":1,"method":"m"}`), Result.fail("`jsonrpc` must be \"2.0\""))
      assertEquals(rule(`{${version}"id":1,"result":1}`), Result.fail("`jsonrpc` must be \"2.0\""))
    }
  })

  it("B4: all six kinds of error have constructors, and the server range refuses other codes", () => {
    assertEquals(ErrorObject.parseError(), { code: -32700, message: "Parse error" })
    assertEquals(ErrorObject.invalidRequest(), { code: -32600, message: "Invalid Request" })
    assertEquals(ErrorObject.methodNotFound("m"), { code: -32601, message: "Method not found", data: "m" })
    const issues = [{ path: ["a", 0], message: "Expected number" }]
    assertEquals(ErrorObject.invalidParams(issues), { code: -32602, message: "Invalid params", data: issues })
    assertEquals(ErrorObject.internalError, { code: -32603, message: "Internal error" })
    for (const code of [-32099, -32050, -32000]) {
      assertEquals(
        ErrorObject.serverError(code, "busy", { retry: 1 }),
        Result.succeed({ code, message: "busy", data: { retry: 1 } })
      )
    }
    for (const code of [-32100, -31999, -32700, 0, 1, -32050.5, Number.NaN]) {
      assert.isTrue(Result.isFailure(ErrorObject.serverError(code, "busy")))
      assert.isFalse(ErrorCode.isServerError(code))
    }
  })

  it("B5: a batch of three round-trips; an empty one is Invalid Request; the response to a parse error has id null", () => {
    const members = [
      `{"jsonrpc":"2.0","id":1,"method":"a"}`,
      `{"jsonrpc":"2.0","method":"b"}`,
      `{"jsonrpc":"2.0","id":2,"result":3}`
    ] as const
    const text = Batch.join(members)
    const batch = Batch.decode(text)
    assert.isTrue(Batch.isMembers(batch) && batch.length === 3)
    if (Batch.isMembers(batch)) {
      assert.deepStrictEqual(batch.map((member) => Result.getOrThrow(Result.flatMap(member, Message.encode))), [
        ...members
      ])
    }
    assertEquals(
      Batch.decode("[]"),
      Result.fail(new Message.InvalidRequest({ id: null, rule: "a batch must have a member" }))
    )
    const failure = again(Message.failureText("null", ErrorObject.parseError()))
    assertEquals(failure, Result.succeed(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`))
  })
})
