import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { displayWidth } from "effect/cli/CliOutput"
import * as listing from "../../src/internal/mcp/offer/listing.ts"
import * as wrap from "../../src/internal/terminal/wrap.ts"

describe("a long line", () => {
  const Word = Schema.Literals(["a", "é", "word", "日本語", "sentence", "abc-def"])

  it.prop("is broken between words, and loses none", [
    Schema.Array(Word),
    Schema.Int.check(Schema.isBetween({ minimum: 20, maximum: 60 }))
  ], ([words, width]) => {
    const text = words.join(" ")
    const lines = wrap.line("left: ", text, width).split("\n")
    assert.strictEqual(lines.map((line, at) => at === 0 ? line : line.replace(/^ {6}/, " ")).join(""), `left: ${text}`)
    for (const line of lines) assert.isAtMost(displayWidth(line), width)
  })

  it("stays whole where there is no room for words, and where a word is too wide", () => {
    assert.strictEqual(wrap.line(" ".repeat(30), "a b c", 36), `${" ".repeat(30)}a b c`)
    assert.strictEqual(wrap.line("a  ", `b ${"x".repeat(40)} c`, 20), `a  b\n   ${"x".repeat(40)}\n   c`)
  })
})

describe("a line that is taken away again", () => {
  it("is cut where a terminal would wrap it, and never within a character", () => {
    assert.strictEqual(wrap.cut("abc", 4), "abc")
    assert.strictEqual(wrap.cut("abcd", 4), "abc")
    assert.strictEqual(wrap.cut("日本語", 4), "日")
    assert.strictEqual(wrap.cut("a👩‍👩‍👧‍👦b", 4), "a👩‍👩‍👧‍👦")
  })
})

describe("a list on a terminal", () => {
  const entries: ReadonlyArray<listing.Entry> = [
    {
      name: "add",
      text: "Adds two numbers, and says what their sum is.\nMore of it, which is long as well.",
      takes: []
    },
    {
      name: "a_name_that_is_too_long",
      text: "Is described below it.",
      takes: ["a  integer, required  The first number of all", "b  string"]
    },
    { name: "quiet", text: "", takes: [] }
  ]

  it("keeps texts in their column, below names that are too long for theirs", () => {
    assert.deepStrictEqual(
      listing.tree(entries, { margin: "  ", width: 40, coloured: false }).flatMap((line) => line.split("\n")),
      [
        "  add               Adds two numbers,",
        "                    and says what their",
        "                    sum is.",
        "      | More of it, which is long as",
        "      | well.",
        "  a_name_that_is_too_long",
        "                    Is described below",
        "                    it.",
        "  ├ a  integer, required  The first",
        "  │   number of all",
        "  └ b  string",
        "  quiet"
      ]
    )
  })

  it("has names in bold, and is as wide as without", () => {
    const [first = ""] = listing.lines(entries, { margin: "", width: 40, coloured: true })
    assert.include(first, "\u001b[1madd\u001b[0m              ")
    const plain = listing.lines(entries, { margin: "", width: 40, coloured: false }).join("\n")
    assert.strictEqual(
      listing.lines(entries, { margin: "", width: 40, coloured: true }).join("\n").replace(/\p{Cc}\[\d+m/gu, ""),
      plain
    )
  })

  it("is a line for each entry in a pipe, however long", () => {
    const long = "word ".repeat(100).trim()
    assert.deepStrictEqual(listing.lines([{ name: "add", text: long, takes: [] }]), [`add  ${long}`])
  })
})
