import { assert, describe, it } from "@effect/vitest"
import * as Message from "@parley/protocol/Message"
import { Written } from "@parley/protocol/shared"

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
