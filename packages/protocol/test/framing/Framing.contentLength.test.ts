/** The base protocol of the Language Server Protocol, 3.17. */
import { assert, describe, it } from "@effect/vitest"
import * as Framing from "../../src/Framing.ts"
import * as Limits from "../../src/Limits.ts"
import {
  anyCut,
  bytes,
  frames,
  invalidUtf8,
  neverBuffered,
  nothingForeign,
  otherFraming,
  streams,
  table,
  tooLarge
} from "./framings.ts"

const lost = (reason: Framing.LostPlace["reason"], offset: number, excerpt: string, detail: string) =>
  ({ _tag: "LostPlace", reason, detail, offset, excerpt }) as const

const jsonFirst =
  "the stream begins with JSON and no Content-Length header, and the framing of this side is `contentLength`"

const noLength = (offset: number, excerpt: string) =>
  lost("Header", offset, excerpt, "a header block has no Content-Length")

const noField = (offset: number, excerpt: string) =>
  lost("Header", offset, excerpt, "a line of a header block is not a field")

const noNumber = (offset: number, excerpt: string) =>
  lost("Header", offset, excerpt, "a Content-Length is not a decimal number below 2^53")

const two = "Content-Length: 2\r\n\r\n{}"

/** Lengths that are none, in a block after a good frame. */
const badLengths: ReadonlyArray<string> = [
  "",
  "-2",
  "+2",
  "0x02",
  "2e0",
  "2.0",
  "2 2",
  "2, 2",
  "two",
  "NaN",
  "Infinity",
  "٢",
  "9007199254740992",
  "9".repeat(40)
]

const printable = (text: string): string =>
  text.replaceAll("\r", "\\x0d").replaceAll("\n", "\\x0a").replaceAll("٢", "\\xd9\\xa2")

describe("Framing.contentLength", () => {
  it("a newline behind a body begins no frame, which would end the connection in time", () => {
    const splitter = Framing.contentLength.splitter(Limits.defaults)
    assert.deepStrictEqual(splitter.push(bytes(two + "\r\n\n \r")), ["{}"])
    assert.isFalse(splitter.partial())
    assert.deepStrictEqual(splitter.push(bytes("\nC")), [])
    assert.isTrue(splitter.partial())
  })

  const open = (size: number) => `Content-Length: ${size}\r\n\r\n`

  it.effect("promise 4: any way of cutting the bytes gives the same frames", () => anyCut(Framing.contentLength))

  it.effect("promise 5: a frame beyond its limit is never buffered", () => neverBuffered(Framing.contentLength, open))

  it.effect("promise 6: a stream of a foreign protocol is closed and runs nothing", () =>
    nothingForeign(Framing.contentLength))

  streams(Framing.contentLength, open)

  table(Framing.contentLength, [
    ["a body follows its header", two + two, ["{}", "{}"]],
    ["the length is in bytes", "Content-Length: 4\r\n\r\n\"é\"" + two, ["\"é\"", "{}"]],
    ["names are case-insensitive", "CONTENT-length: 2\r\n\r\n{}" + "content-length: 2\r\n\r\n[]", ["{}", "[]"]],
    ["white space around a value is optional", "Content-Length:2\r\n\r\n{}Content-Length: \t2 \t\r\n\r\n[]", [
      "{}",
      "[]"
    ]],
    ["other fields are ignored", "X-A: b: c\r\nContent-Length: 2\r\nTrace-Id:\r\n\r\n{}" + two, ["{}", "{}"]],
    ["also with bytes that are no ASCII", "X-A: <ff>é\r\n" + two, ["{}"]],
    ["LF does for CRLF", "Content-Length: 2\n\n{}Content-Length: 2\r\n\n[]", ["{}", "[]"]],
    ["leading zeros are digits", "Content-Length: 0002\r\n\r\n{}", ["{}"]],
    ["a repeated length is taken once", "Content-Length: 2\r\ncontent-length: 02\r\n" + "\r\n{}" + two, ["{}", "{}"]],
    ["an empty body is an empty text", "Content-Length: 0\r\n\r\n" + two, ["", "{}"]],
    ["an empty body ends the input", "Content-Length: 0\r\n\r\n", [""]],
    ["a body may hold a header", "Content-Length: 25\r\n\r\n\"Content-Length: 9\r\n\r\n{}\"" + two, [
      "\"Content-Length: 9\r\n\r\n{}\"",
      "{}"
    ]],
    ["no input has no frames", "", []],

    ["a media type without a charset", "Content-Type: application/vscode-jsonrpc\r\n" + two, ["{}"]],
    ["utf-8", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + two, ["{}"]],
    ["utf8, as version 2 wrote", "Content-Type: application/vscode-jsonrpc;charset=utf8\r\n" + two, ["{}"]],
    ["in capitals and quotes", "content-type: x/y; a=b; Charset=\"UTF-8\"\r\n" + two, ["{}"]],
    ["another charset costs its body", "Content-Type: x/y; charset=latin1\r\n" + two + two, [invalidUtf8("{}"), "{}"]],
    ["also an empty one", "Content-Type: x/y; charset=utf-16\r\nContent-Length: 0\r\n\r\n" + two, [
      invalidUtf8(""),
      "{}"
    ]],
    [
      "even when a later field says otherwise",
      "Content-Type: x; charset=a\r\nContent-Type: x; charset=utf-8\r\n" + two,
      [
        invalidUtf8("{}")
      ]
    ],

    ["invalid UTF-8 costs its body", "Content-Length: 3\r\n\r\n\"<ff>\"" + two, [invalidUtf8("\"\\xff\""), "{}"]],
    ["a sequence does not go beyond its body", "Content-Length: 2\r\n\r\n<e2><9c>" + two, [
      invalidUtf8("\\xe2\\x9c"),
      "{}"
    ]],
    ["a body of the limit is a text", "Content-Length: 5\r\n\r\n12345", ["12345"], { frame: 5 }],
    ["a body beyond is skipped by its length", "Content-Length: 6\r\n\r\n123456" + two, [tooLarge("123456"), "{}"], {
      frame: 5
    }],
    ["an excerpt has 64 bytes", `Content-Length: 99\r\n\r\n${"x".repeat(99)}`, [tooLarge("x".repeat(64))], {
      frame: 70
    }],

    ["no length", two + "X-A: b\r\n\r\n{}", ["{}", noLength(23, "X-A: b\\x0d\\x0a\\x0d\\x0a")]],
    ["a blank line before a block is skipped", "\r\n" + two, ["{}"]],
    ["also behind a body", two + "\n" + two + "\r\n\r\n" + two, ["{}", "{}", "{}"]],
    ["also one of blanks", " \t\r\n" + two + " \n", ["{}"]],
    ["blank lines at the end of the input are no block", two + "\r\n\n\r", ["{}"]],
    ["offsets count blank lines", two + "\n\n" + "X-A: b\r\n\r\n", [
      "{}",
      noLength(25, "X-A: b\\x0d\\x0a\\x0d\\x0a")
    ]],
    ["JSON behind blank lines is of another framing", "\r\n{\"jsonrpc\":\"2.0\"}", otherFraming(jsonFirst, "{")],
    ["blank lines count on the limit of a block", "\n\n\n" + two, ["{}"], { header: 24 }],
    ["and have no other", "\n\n\n\n" + two, [
      lost("Header", 4, "Content-Length: 2\\x0d\\x0a\\x0d\\x0a", "a header block is larger than 24 bytes")
    ], { header: 24 }],
    ["JSON without a header", "{\"jsonrpc\":\"2.0\"}", otherFraming(jsonFirst, "{")],
    ["a batch without a header", "[1]\n" + two, otherFraming(jsonFirst, "[")],
    ["JSON behind a body", two + "{}", [
      "{}",
      lost("Header", 23, "{", "JSON stands where a Content-Length header should")
    ]],
    ["a line from elsewhere", two + "npm warn: x\n", ["{}", noField(23, "npm warn: x\\x0a")]],
    ["a name before white space", "Content-Length : 2\r\n\r\n{}", [noField(0, "Content-Length : 2\\x0d\\x0a")]],
    ["a field without a name", ": 2\r\n\r\n{}", [noField(0, ": 2\\x0d\\x0a")]],
    ["a folded value", "Content-Length:\r\n 2\r\n\r\n{}", [noNumber(0, "Content-Length:\\x0d\\x0a")]],
    ["two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", [
      lost("Header", 19, "Content-Length: 3\\x0d\\x0a", "two Content-Lengths differ")
    ]],
    ...badLengths.map((length) =>
      [`the length ${JSON.stringify(length)}`, `${two}X: y\r\nContent-Length: ${length}\r\n\r\n{}`, [
        "{}",
        noNumber(29, printable(`Content-Length: ${length}\r\n`))
      ]] as const
    ),
    ["the offset counts the mark", "<ef><bb><bf>x\n", [noField(3, "x\\x0a")]],

    ["a block of the limit", "Content-Length: 2\r\n\r\n{}", ["{}"], { header: 21 }],
    ["a block beyond", two + "Content-Length: 20\r\n\r\n{}", [
      "{}",
      lost("Header", 23, "Content-Length: 20\\x0d\\x0a\\x0d\\x0a", "a header block is larger than 21 bytes")
    ], { header: 21 }],
    ["a block without end", `A: ${"b".repeat(99)}`, [
      lost("Header", 0, `A: ${"b".repeat(18)}`, "a header block is larger than 20 bytes")
    ], { header: 20 }],

    ["the input ends in a header", two + "Content-Le", [
      "{}",
      lost("Truncated", 23, "Content-Le", "the input ended inside a header block")
    ]],
    ["the input ends before a body", "Content-Length: 2\r\n\r\n", [
      lost("Truncated", 21, "", "the input ended 2 bytes before the end of a body")
    ]],
    ["the input ends in a body", two + "Content-Length: 5\r\n\r\n[1", [
      "{}",
      lost("Truncated", 44, "[1", "the input ended 3 bytes before the end of a body")
    ]],
    ["the input ends in a body beyond the limit", "Content-Length: 9\r\n\r\n1234567", [
      lost("Truncated", 21, "1234567", "the input ended 2 bytes before the end of a body")
    ], { frame: 5 }]
  ])

  it("nothing that follows a lost place is read", () => {
    assert.strictEqual(frames(Framing.contentLength, [bytes(`X\n${two}`), bytes(two)]).length, 1)
  })

  it.each([
    [["{}"], two],
    [["{}", "\"é\""], `${two}Content-Length: 4\r\n\r\n"é"`],
    [["\"𝄞✓\""], "Content-Length: 9\r\n\r\n\"𝄞✓\""],
    [[""], "Content-Length: 0\r\n\r\n"],
    [[], ""]
  ])("%j is written as %j", (texts, expected) => {
    assert.deepStrictEqual(Framing.contentLength.join(texts), bytes(expected))
  })

  it("the bytes of a long text are counted across surrogate pairs", () => {
    for (const shift of ["", "x", "xé"]) {
      const text = JSON.stringify(shift + "𝄞".repeat(20_000))
      const length = bytes(text).length
      assert.deepStrictEqual(Framing.contentLength.join([text]), bytes(`Content-Length: ${length}\r\n\r\n${text}`))
    }
  })

  it("half a surrogate pair is written, and counted, as a replacement", () => {
    assert.deepStrictEqual(Framing.contentLength.join(["\"\ud834\""]), bytes("Content-Length: 5\r\n\r\n\"\ufffd\""))
  })
})
