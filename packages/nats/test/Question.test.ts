import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import * as Batch from "@parley/protocol/Batch"
import * as Message from "@parley/protocol/Message"
import { Result } from "effect"
import * as Question from "../src/internal/Question.ts"

/** The messages that a reader finds in the text: a request, or an invalid message that gets an error. */
const asks = (text: string): boolean => {
  const decoded = Batch.decode(text)
  return (Batch.isMembers(decoded) ? decoded : [decoded]).some(
    (member) => Result.isFailure(member) || member.success._tag === "Request"
  )
}

describe("whether a text asks for an answer", () => {
  it.prop("is what a reader of the message finds", { message: Generators.message }, ({ message }) => {
    const text = Message.encodeUnsafe(message)
    assert.strictEqual(Question.isAsked(text), asks(text), text)
  })

  it("is so for an id behind the method, and for a batch with one request behind others", () => {
    assert.isTrue(Question.isAsked(`{"jsonrpc":"2.0","method":"ask","id":1}`))
    const note = `{"jsonrpc":"2.0","method":"note"}`
    assert.isTrue(Question.isAsked(`[${note},{"jsonrpc":"2.0","id":1,"method":"ask"}]`))
    assert.isFalse(Question.isAsked(`[${note},${note}]`))
  })

  it.each([
    [`{"jsonrpc":"2.0","method":"note","params":{"id":1}}`, false],
    [`{"jsonrpc":"2.0","method":"ask","id":1}`, true],
    [`{"jsonrpc":"2.0","method":"ask","\\u0069d":1}`, true],
    [` {"method":"ask","params":[],"id":"a,b","jsonrpc":"2.0"}`, true],
    [`{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}`, false],
    [`[{"jsonrpc":"2.0","method":"note","params":{"id":1}}]`, false],
    [`[{"jsonrpc":"2.0","method":"note"},{"jsonrpc":"2.0","id":1,"method":"ask"}]`, true],
    [`[]`, true],
    [`[1]`, true],
    [`{`, true],
    [`[{`, true],
    [``, true],
    [`"id"`, true]
  ])("of %s is %s", (text, expected) => {
    assert.strictEqual(Question.isAsked(text), expected)
  })
})
