import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Subject from "../../src/internal/jetstream/Subject.ts"

describe("a string as one token of a subject", () => {
  it.effect.prop("has no character that means something there, and is its own", [Schema.String, Schema.String], ([
    one,
    other
  ]) =>
    Effect.sync(() => {
      for (const text of [one, other, "", " ", ".", "*", ">", "=", "a.b", "\u0000"]) {
        assert.match(Subject.tokenOf(text), /^[\w=-]+$/)
      }
      if (one.toWellFormed() !== other.toWellFormed()) {
        assert.notStrictEqual(Subject.tokenOf(one), Subject.tokenOf(other))
      }
    }))

  it("is another for each character, and stays as it is where it can", () => {
    const characters = Array.from({ length: 1_024 }, (_, code) => String.fromCharCode(code))
    assert.strictEqual(new Set(characters.map(Subject.tokenOf)).size, characters.length)
    assert.strictEqual(Subject.tokenOf("node-4f1c_2"), "node-4f1c_2")
    assert.notStrictEqual(Subject.tokenOf(""), Subject.tokenOf("="))
    assert.notStrictEqual(Subject.tokenOf("\u00e9"), Subject.tokenOf("e\u0301"))
  })
})
