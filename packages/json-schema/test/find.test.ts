import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { Pattern } from "../src/index.ts"

const find = (options: Pattern.FindOptions) => Result.getOrElse(Pattern.find(options), (why) => ({ why }))

describe("Pattern.find", () => {
  it("finds the shortest text that some patterns match and others do not", () => {
    assert.strictEqual(find({ matched: ["^0x[0-9a-f]*$"], unmatched: ["^0x[0-9]*$"] }), "0xa")
    assert.strictEqual(find({ matched: ["foo", "bar$"], least: 8 }), "aafoobar")
    assert.strictEqual(find({ matched: ["\\bfoo\\b"], unmatched: ["^foo$"] }), "-foo")
    assert.strictEqual(find({ matched: [], unmatched: ["^$"] }), "a")
    assert.strictEqual(find({ matched: ["^[^\\u0000-\\u2fff]$"] }), "\u3000")
  })

  it("proves that there is none", () => {
    assert.isUndefined(find({ matched: ["^0x[0-9]{4}$"], unmatched: ["^0x[0-9a-f]+$"] }))
    assert.isUndefined(find({ matched: ["^a*$"], unmatched: ["^a?a?a?$"], most: 3 }))
    assert.isUndefined(find({ matched: ["^a"], unmatched: ["a"] }))
    assert.isUndefined(find({ matched: ["^a{3}$"], most: 2 }))
  })

  it("says why it does not know", () => {
    assert.deepStrictEqual(find({ matched: ["^(?=a)"] }), { why: "it looks ahead or behind" })
    assert.deepStrictEqual(find({ matched: ["(a)\\1"] }), { why: "it refers back to what a group has matched" })
    assert.deepStrictEqual(find({ matched: ["^\\p{L}$"], unmatched: ["^[^a]$", "a"] }), {
      why: "it has characters that are known by their properties only"
    })
    assert.property(find({ matched: ["^(a|b)*a(a|b){18}$"], unmatched: ["^(a|b)*b(a|b){18}$", "^a"] }), "why")
  })

  const parts = ["a", "b", "[ab]", ".", "\\d", "a*", "(ab|b)+", "b{1,2}", "^", "$"]
  const source = Schema.Array(Schema.Literals(parts)).check(Schema.isMaxLength(4))

  it.effect.prop("agrees with the engine of the runtime", { a: source, b: source }, ({ a, b }) =>
    Effect.sync(() => {
      const [matched, unmatched] = [a.join(""), b.join("")]
      const text = find({ matched: [matched], unmatched: [unmatched], most: 6 })
      if (typeof text === "string") {
        assert.isTrue(new RegExp(matched, "u").test(text))
        assert.isFalse(new RegExp(unmatched, "u").test(text))
        return
      }
      for (const text of ["", "a", "b", "ab", "ba", "aa", "bb", "0", "a0", "aba", "bab", "abb", "xab"]) {
        assert.isFalse(new RegExp(matched, "u").test(text) && !new RegExp(unmatched, "u").test(text), text)
      }
    }))
})
