import { describe, expect, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { Pattern } from "../src/index.ts"

const find = (options: Pattern.FindOptions) => Result.getOrElse(Pattern.find(options), (why) => ({ why }))

describe("Pattern.find", () => {
  it("finds the shortest text that some patterns match and others do not", () => {
    expect(find({ matched: ["^0x[0-9a-f]*$"], unmatched: ["^0x[0-9]*$"] })).toBe("0xa")
    expect(find({ matched: ["foo", "bar$"], least: 8 })).toBe("aafoobar")
    expect(find({ matched: ["\\bfoo\\b"], unmatched: ["^foo$"] })).toBe("-foo")
    expect(find({ matched: [], unmatched: ["^$"] })).toBe("a")
    expect(find({ matched: ["^[^\\u0000-\\u2fff]$"] })).toBe("\u3000")
  })

  it("proves that there is none", () => {
    expect(find({ matched: ["^0x[0-9]{4}$"], unmatched: ["^0x[0-9a-f]+$"] })).toBeUndefined()
    expect(find({ matched: ["^a*$"], unmatched: ["^a?a?a?$"], most: 3 })).toBeUndefined()
    expect(find({ matched: ["^a"], unmatched: ["a"] })).toBeUndefined()
    expect(find({ matched: ["^a{3}$"], most: 2 })).toBeUndefined()
  })

  it("says why it does not know", () => {
    expect(find({ matched: ["^(?=a)"] })).toEqual({ why: "it looks ahead or behind" })
    expect(find({ matched: ["(a)\\1"] })).toEqual({ why: "it refers back to what a group has matched" })
    expect(find({ matched: ["^\\p{L}$"], unmatched: ["^[^a]$", "a"] }))
      .toEqual({ why: "it has characters that are known by their properties only" })
    expect(find({ matched: ["^(a|b)*a(a|b){18}$"], unmatched: ["^(a|b)*b(a|b){18}$", "^a"] })).toHaveProperty("why")
  })

  const parts = ["a", "b", "[ab]", ".", "\\d", "a*", "(ab|b)+", "b{1,2}", "^", "$"]
  const source = Schema.Array(Schema.Literals(parts)).check(Schema.isMaxLength(4))

  it.effect.prop("agrees with the engine of the runtime", { a: source, b: source }, ({ a, b }) =>
    Effect.sync(() => {
      const [matched, unmatched] = [a.join(""), b.join("")]
      const text = find({ matched: [matched], unmatched: [unmatched], most: 6 })
      if (typeof text === "string") {
        expect(new RegExp(matched, "u").test(text)).toBe(true)
        expect(new RegExp(unmatched, "u").test(text)).toBe(false)
        return
      }
      for (const text of ["", "a", "b", "ab", "ba", "aa", "bb", "0", "a0", "aba", "bab", "abb", "xab"]) {
        expect(new RegExp(matched, "u").test(text) && !new RegExp(unmatched, "u").test(text), text).toBe(false)
      }
    }))
})
