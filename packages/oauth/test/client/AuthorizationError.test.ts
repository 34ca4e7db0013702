import { assert, describe, it } from "@effect/vitest"
import { AuthorizationError, Reason } from "@parley/oauth/AuthorizationError"

describe("the error of an authorization", () => {
  it.prop("is one printable line, whatever others have said", [Reason], ([reason]) => {
    const { message } = new AuthorizationError({ server: "https://mcp.example/\u001b[31m\r\nmcp", reason })
    assert.match(message, /^no token for https:\/\/mcp\.example\/\S+: .+$/)
    assert.notMatch(message, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
  })

  it("cuts short what others have said", () => {
    const { message } = new AuthorizationError({
      server: "https://mcp.example",
      reason: { _tag: "Refused", issuer: "x".repeat(9_999), error: "y".repeat(9_999), description: "z".repeat(9_999) }
    })
    assert.isBelow(message.length, 1_000)
  })
})
