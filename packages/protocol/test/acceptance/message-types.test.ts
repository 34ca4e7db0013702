/** Part E: the message types by themselves, without a connection. */
import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as Message from "@parley/protocol/Message"
import { ErrorCode, ErrorObject, RequestId } from "@parley/protocol/shared"
import { Result, Schema } from "effect"

describe("E: the message types", () => {
  it("E1: messages are created, encoded and decoded by themselves", () => {
    const messages = [
      Message.Request.make({ id: "a", method: "m", params: [1] }),
      Message.Notification.make({ method: "m" }),
      Message.Success.make({ id: 1, result: null }),
      Message.Failure.make({ id: null, error: ErrorObject.parseError() })
    ]
    for (const message of messages) {
      assertEquals(Result.flatMap(Message.encode(message), (text) => Message.decode(text)), Result.succeed(message))
    }
  })

  it("E1: decoding what does not fit is a value, never a throw", () => {
    for (const text of ["", "{", "null", "[]", "{}", `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":{},"result":1}`]) {
      assert.isTrue(Result.isFailure(Message.decode(text)))
    }
  })

  it("E2: request ids are integers or strings", () => {
    for (const id of [0, 1, -1, "", "a"]) assert.isTrue(Schema.is(RequestId.RequestId)(id))
    for (const id of [true, {}, [], undefined, Number.NaN]) assert.isFalse(Schema.is(RequestId.RequestId)(id))
  })

  it("E2: error codes have names", () => {
    const codes = [
      ErrorCode.ParseError,
      ErrorCode.InvalidRequest,
      ErrorCode.MethodNotFound,
      ErrorCode.InvalidParams,
      ErrorCode.InternalError,
      ErrorCode.ServerErrorMin,
      ErrorCode.ServerErrorMax
    ]
    assert.deepStrictEqual(codes.map(ErrorCode.name), [
      "Parse error",
      "Invalid Request",
      "Method not found",
      "Invalid params",
      "Internal error",
      "Server error",
      "Server error"
    ])
    assert.isTrue(codes.every(ErrorCode.isReserved))
    assert.isUndefined(ErrorCode.name(1))
    assert.isFalse(ErrorCode.isReserved(-31999) || ErrorCode.isReserved(-32769) || ErrorCode.isReserved(-32500.5))
  })

  it("E2: each kind of error has its predicate", () => {
    const kinds = [
      [ErrorObject.isParseError, ErrorObject.parseError()],
      [ErrorObject.isInvalidRequest, ErrorObject.invalidRequest()],
      [ErrorObject.isMethodNotFound, ErrorObject.methodNotFound("m")],
      [ErrorObject.isInvalidParams, ErrorObject.invalidParams([])],
      [ErrorObject.isInternalError, ErrorObject.internalError],
      [ErrorObject.isServerError, ErrorObject.make(-32000, "busy")]
    ] as const
    for (const [is] of kinds) {
      assert.deepStrictEqual(kinds.filter(([, error]) => is(error)), kinds.filter(([other]) => other === is))
    }
  })

  it.prop("E2: `data` is optional and preserved", [Schema.Int, Schema.String, Schema.Json], ([code, message, data]) => {
    for (const error of [ErrorObject.make(code, message), ErrorObject.make(code, message, data)]) {
      const failure: Message.Message = { _tag: "Failure", id: 1, error }
      assertEquals(Result.flatMap(Message.encode(failure), (text) => Message.decode(text)), Result.succeed(failure))
    }
    assert.isFalse(Object.hasOwn(ErrorObject.make(code, message), "data"))
  })
})
