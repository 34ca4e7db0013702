import { assert, describe, it } from "@effect/vitest"
import * as RedactedOnce from "../../src/internal/tap/RedactedOnce.ts"

describe("a text that is recorded and shown", () => {
  it("is redacted once, and a text that is only shown as well", () => {
    const texts: Array<string> = []
    const { recorded, shown } = RedactedOnce.make((text) => {
      texts.push(text)
      return `${text}!`
    })
    assert.strictEqual(recorded("a"), "a!")
    assert.strictEqual(shown("a"), "a!")
    assert.deepStrictEqual(texts, ["a"])
    assert.strictEqual(shown("a"), "a!")
    assert.strictEqual(recorded("b"), "b!")
    assert.strictEqual(shown("c"), "c!")
    assert.deepStrictEqual(texts, ["a", "a", "b", "c"])
  })
})
