/** The framing of MCP's stdio: "Messages are delimited by newlines, and MUST NOT contain embedded newlines." */
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
  raw,
  streams,
  table,
  tooLarge
} from "./framings.ts"

const headerFirst = "the stream begins with a Content-Length header, and the framing of this side is `line`"

describe("Framing.line", () => {
  const open = () => "{"

  it.effect("promise 4: any way of cutting the bytes gives the same frames", () => anyCut(Framing.line))

  it.effect("promise 5: a frame beyond its limit is never buffered", () => neverBuffered(Framing.line, open))

  it.effect("promise 6: a stream of a foreign protocol is closed and runs nothing", () => nothingForeign(Framing.line))

  streams(Framing.line, open)

  table(Framing.line, [
    ["LF ends a line", "{}\n[]\n", ["{}", "[]"]],
    ["CRLF ends a line", "{}\r\n[]\r\n", ["{}", "[]"]],
    ["both may be mixed", "{}\r\n[]\n1\r\n", ["{}", "[]", "1"]],
    ["a CR alone does not end a line", "[1,\r2]\n", ["[1,\r2]"]],
    ["of two CRs the line's end has one", "1\r\r\n", ["1\r"]],
    ["empty lines are ignored", "\n\n{}\n\r\n\n[]\n\n", ["{}", "[]"]],
    ["blank lines are ignored", "  \n{}\n\t \r\n[]\n \t", ["{}", "[]"]],
    ["white space around a text stays", " {} \n", [" {} "]],
    ["what only looks blank is a text", "\u00a0\n", ["\u00a0"]],
    ["a last line needs no newline", "{}\n[]", ["{}", "[]"]],
    ["nor does it need its LF", "{}\r", ["{}"]],
    ["no input has no frames", "", []],
    ["a text is not looked into", "hello\nG\n}{\n", ["hello", "G", "}{"]],
    ["what begins like a method and is none is a text", "GETTER\n{}\n", ["GETTER", "{}"]],
    ["a method without more is a text", "GET", ["GET"]],
    ["so is one with a target", "GET /\n{}\n", ["GET /", "{}"]],
    ["so is a line with another version", "OPTIONS * RTSP/1.0\n{}\n", ["OPTIONS * RTSP/1.0", "{}"]],
    ["so are greetings of other protocols", "EHLO x\n*1\nSSH-2.0-x\n{}\n", ["EHLO x", "*1", "SSH-2.0-x", "{}"]],
    ["a status line has a version and three digits", "HTTP/1.1\nHTTP/x.1 400\nHTTP/1.1 40\n", [
      "HTTP/1.1",
      "HTTP/x.1 400",
      "HTTP/1.1 40"
    ]],
    ["a request line has three words", "HTTP/1.1 a b\na HTTP/1.1\n", ["HTTP/1.1 a b", "a HTTP/1.1"]],
    ["a method is looked for at the beginning only", "{}\nGET / HTTP/1.1\n", ["{}", "GET / HTTP/1.1"]],
    ["a header ends it", "Content-Length: 2\r\n\r\n{}", otherFraming(headerFirst, "Content-Length: 2")],
    ["however it is written", "\ncontent-type : a\n{}\n", otherFraming(headerFirst, "content-type : a")],
    ["a header without its line end, too", "Content-Length: 2", otherFraming(headerFirst, "Content-Length: 2")],
    ["a header is looked for at the beginning only", "{}\nContent-Length: 2\n", ["{}", "Content-Length: 2"]],
    ["0x16 without 0x03 is a text", "<16>\n", ["\u0016"]],
    ["invalid UTF-8 costs its line", "1\n\"<ff>\"\n2\n", ["1", invalidUtf8("\"\\xff\""), "2"]],
    ["a sequence does not go beyond its line", "1\n<e2><9c>\n2\n", ["1", invalidUtf8("\\xe2\\x9c"), "2"]],
    ["surrogates are no UTF-8", "<ed><a0><80>\n", [invalidUtf8("\\xed\\xa0\\x80")]],
    ["overlong sequences are no UTF-8", "<c0><8a>\n", [invalidUtf8("\\xc0\\x8a")]],
    ["a mark that is not whole is no UTF-8", "<ef><bb>", [invalidUtf8("\\xef\\xbb")]],
    ["a line of the limit is a text", "12345\n12345\r\n12345", ["12345", "12345", "12345"], { frame: 5 }],
    ["a line beyond is skipped", "123456\n1\n", [tooLarge("123456"), "1"], { frame: 5 }],
    ["also with CRLF", "1\r\n123456\r\n1\r\n", ["1", tooLarge("123456\\x0d"), "1"], { frame: 5 }],
    ["also at the end", "1\n123456789", ["1", tooLarge("123456789")], { frame: 5 }],
    ["the limit is in bytes", "\"é\"\n\"éé\"\n", ["\"é\"", tooLarge("\"\\xc3\\xa9\\xc3\\xa9\"")], { frame: 5 }],
    ["too large goes before invalid", "<ff>12345\n", [tooLarge("\\xff12345")], { frame: 5 }],
    ["blanks have a limit, too", "        \n", [tooLarge("        ")], { frame: 5 }],
    ["an excerpt has 64 bytes", `${"x".repeat(99)}\n`, [tooLarge("x".repeat(64))], { frame: 70 }],
    ["the mark does not count", "<ef><bb><bf>12345\n", ["12345"], { frame: 5 }]
  ])

  it("no line waits for the next", () => {
    const splitter = Framing.line.splitter(Limits.defaults)
    assert.deepStrictEqual(splitter.push(bytes("{}\n[")), ["{}"])
    assert.isTrue(splitter.partial())
    assert.deepStrictEqual(splitter.push(bytes("]\n")), ["[]"])
    assert.isFalse(splitter.partial())
  })

  it("after the end there is nothing", () => {
    const splitter = Framing.line.splitter(Limits.defaults)
    splitter.push(bytes("{}\n[]"))
    assert.deepStrictEqual(splitter.end(), ["[]"])
    assert.deepStrictEqual(splitter.end(), [])
    assert.deepStrictEqual(splitter.push(bytes("{}\n")), [])
    assert.isFalse(splitter.partial())
  })

  it("a bad line among good ones in one large chunk", () => {
    const good = Array.from({ length: 100 }, (_, id) => JSON.stringify({ id, note: "é".repeat(id) }))
    const stream = raw([...good, "<80>", ...good].join("\n"))
    assert.deepStrictEqual(frames(Framing.line, [stream]), [...good, invalidUtf8("\\x80"), ...good])
  })

  it.each([
    [["{}"], "{}\n"],
    [["{}", "[1]"], "{}\n[1]\n"],
    [["[\n  1,\r\n  2\r]"], "[   1,    2 ]\n"],
    [["\"é\""], "\"é\"\n"],
    [[], ""]
  ])("%j is written as %j", (texts, expected) => {
    assert.deepStrictEqual(Framing.line.join(texts), bytes(expected))
  })

  it("what was written stays when more is written", () => {
    const texts = Array.from({ length: 5_000 }, (_, id) => JSON.stringify({ id, note: "é".repeat(id % 40) }))
    const written = texts.map((text) => Framing.line.join([text]))
    assert.deepStrictEqual(written.flatMap((chunk) => frames(Framing.line, [chunk])), texts)
  })
})
