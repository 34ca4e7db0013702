import { assert, describe, it } from "@effect/vitest"
import * as Generators from "@parley/conformance/Generators"
import * as Excerpt from "@parley/protocol/text/Excerpt"

/** What drives a terminal, ends a line or turns text around, wherever it stands. */
const dangerous = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u

describe("Excerpt", () => {
  it.each([
    ["subtract", "subtract"],
    ["é✓𝄞👩‍👧", "é✓𝄞👩‍👧"],
    ["\u001b]0;pwned\u0007", "\\u001b]0;pwned\\u0007"],
    ["a\r\n[12:00] level=ERROR", "a\\u000d\\u000a[12:00] level=ERROR"],
    ["\u009b2J\u007f\t", "\\u009b2J\\u007f\\u0009"],
    ["user\u202etxt.exe\u2069", "user\\u202etxt.exe\\u2069"],
    ["a\u2028b\ufeff", "a\\u2028b\\ufeff"],
    ["\ud800x\udc00", "\\ud800x\\udc00"],
    ["x".repeat(300), `${"x".repeat(256)}…`]
  ])("a line has %j as %j", (text, expected) => {
    assert.strictEqual(Excerpt.line(text), expected)
  })

  it.prop("is safe and bounded, whatever the text is", [Generators.string], ([text]) => {
    assert.notMatch(Excerpt.line(text), dangerous)
    assert.isTrue(Excerpt.line(text).isWellFormed())
    assert.isAtMost(Excerpt.line(text, 10).length, 6 * 10 + 1)
    assert.notMatch(Excerpt.lines(text).replace(/[\n\t]/g, ""), dangerous)
  })

  it.prop("is bounded ASCII in quotes, whatever the text is", [Generators.string], ([text]) => {
    for (const quoted of [Excerpt.quoted(text), Excerpt.quoted(`\u001b[2J\r\n\u202e${text.repeat(100)}`)]) {
      assert.match(quoted, /^"[ -~]*"$/)
      assert.isAtMost(quoted.length, 6 * 257 + 2)
    }
    assert.strictEqual(JSON.parse(Excerpt.quoted(text, text.length)), text)
  })

  it("cuts a character in two where it must, and shows the half", () => {
    assert.strictEqual(Excerpt.line("𝄞𝄞", 3), "𝄞\\ud834…")
  })

  it("keeps line ends and tabs of a text of several lines, and nothing else", () => {
    assert.strictEqual(Excerpt.lines("a\tb\n\u001b[1mc\r\n"), "a\tb\n\\u001b[1mc\\u000d\n")
  })
})
