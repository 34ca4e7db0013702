import { assert, describe, it } from "@effect/vitest"
import { Generators } from "@parley/conformance/shared"
import { Excerpt, Relayed } from "@parley/protocol/shared"
import { Cause } from "effect"

/** The classes of characters that drive a terminal, end a line, turn text around or are drawn as nothing. */
const classes = ["Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp", "Bidi_Control", "Default_Ignorable_Code_Point"]

const dangerous = new RegExp(`[${classes.map((name) => `\\p{${name}}`).join("")}]`, "u")

/** Every character of a plane of Unicode, halves of surrogate pairs among them. */
const plane = (at: number): string =>
  Array.from({ length: 0x10_000 }, (_, unit) => String.fromCodePoint(at * 0x10_000 + unit)).join("\u0020")

describe("Excerpt", () => {
  it.each([
    ["subtract", "subtract"],
    ["é✓𝄞👩", "é✓𝄞👩"],
    ["👩\u200d👧 ✓\ufe0f", "👩\\u200d👧 ✓\\ufe0f"],
    ["add\u200bs\u00ad\u2060", "add\\u200bs\\u00ad\\u2060"],
    ["Adds.\u{e0041}\u{e007f}", "Adds.\\udb40\\udc41\\udb40\\udc7f"],
    ["\u3164\u2800\u{1d159}\u{e0100}", "\\u3164\\u2800\\ud834\\udd59\\udb40\\udd00"],
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

  it("lets no hidden character out of any variant, in every plane of Unicode with characters, and one without", () => {
    for (const at of [0x0, 0x1, 0x7, 0xe]) {
      const all = plane(at)
      assert.notMatch(Excerpt.line(all, Infinity), dangerous)
      assert.notMatch(Excerpt.lines(all).replace(/[\n\t]/g, ""), dangerous)
      assert.match(Excerpt.name(all, Infinity), /^[A-Za-z0-9_.\\-]*$/)
      assert.match(Excerpt.quoted(all, Infinity), /^"[ -~]*"$/)
    }
  })

  it.prop("shows names that differ as texts that differ", [Generators.string, Generators.string], ([one, other]) => {
    const texts = [...new Set([one, other, `${one}\u200b`, ` ${one}`, `${one}\\u200b`])]
    const shown = texts.map((text) => Excerpt.name(text, Infinity))
    assert.strictEqual(new Set(shown).size, texts.length)
    for (const text of shown) assert.match(text, /^(?:[A-Za-z0-9_.-]|\\u[0-9a-f]{4})*$/)
    assert.isAtMost(Excerpt.name(one.repeat(100), 10).length, 6 * 10 + 1)
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

  it("keeps the digits of a value that was relayed", () => {
    const text = `{"a":[12345678901234567890.5,1e400],"b":"x"}`
    assert.strictEqual(JSON.stringify(Excerpt.value(Relayed.parseUnsafe(text))), text)
  })

  it("a cause has nothing hidden, and no line at the margin but those of its errors, and keeps its names and places", () => {
    const hostile = "a\u001b[2J\u202eb\n[12:00:00.000] INFO (#1): forged\n}forged"
    const shown = (cause: Cause.Cause<unknown>) => Cause.pretty(Excerpt.cause(cause))
    const nested = Object.assign(new TypeError(hostile), { cause: new Error(hostile) })
    for (const cause of [Cause.die(new TypeError(hostile)), Cause.fail(nested), Cause.die(nested)]) {
      const text = shown(cause)
      assert.match(
        text,
        /^TypeError: a\\u001b\[2J\\u202eb\n {4}\[12:00:00\.000\] INFO \(#1\): forged\n {4}\}forged\n {4}at /
      )
      assert.notMatch(text.replaceAll("\n", ""), dangerous)
      assert.notMatch(text, /\n(?!\}$)\S/)
    }
    const plain = Cause.fail(Object.assign(new TypeError("a b"), { cause: new Error("c") }))
    assert.strictEqual(Excerpt.cause(plain), plain)
  })
})
