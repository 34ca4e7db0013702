import { assert, describe, it } from "@effect/vitest"
import { Pattern } from "@parley/json-schema"
import { Result } from "effect"

const written = (source: string, choose = (_: number) => 0) => Result.getOrThrow(Pattern.make(source)).example(choose)

describe("the example of a pattern", () => {
  it("is plain and short where every choice is the first", () => {
    assert.strictEqual(written("^0x[0-9a-f]{4}$"), "0xaaaa")
    assert.strictEqual(written("^(cat|dog)s?$"), "cat")
  })

  it("has other parts where others are chosen", () => {
    assert.strictEqual(written("^(cat|dog)s?$", (count) => count - 1), "dogs")
  })

  it("meets what it looks ahead to", () => {
    assert.match(written("^(?=.*\\d)(?=.*[A-Z]).{4,}$") ?? "", /^(?=.*\d)(?=.*[A-Z]).{4,}$/)
  })

  it("is not there where nothing was found that matches", () => {
    assert.isUndefined(written("^a$b"))
    assert.isUndefined(written("(?!a)a"))
  })

  it("is bounded", () => {
    assert.isUndefined(written("^a{100000}$"))
  })
})
